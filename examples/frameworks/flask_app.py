# SPDX-License-Identifier: MIT
"""GET /orders with Flask: flask --app examples/frameworks/flask_app run"""

from flask import Flask, Response, jsonify, request
from orders import Orders, connect, find

import sluice.flask
import sluice.wsgi
from sluice.limits import Header
from sluice.pages import page_headers

connection = connect()
app = Flask(__name__)
sluice.flask.install(app, errors="problem")
app.wsgi_app = sluice.wsgi.RateLimit(  # type: ignore[method-assign]
    app.wsgi_app, sluice.RateLimiter(100, 60), key=Header("X-API-Key"), errors="problem"
)


@app.get("/orders")
def list_orders() -> Response:
    query = sluice.flask.read(Orders)
    page = find(connection, query)
    path = request.script_root + request.path
    headers = page_headers(query, path, len(page.rows), ends=page.ends, total=page.total)
    answer = jsonify(page.rows)
    answer.headers.update(headers)
    return answer
