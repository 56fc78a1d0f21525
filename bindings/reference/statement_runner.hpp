// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_API_STATEMENT_RUNNER_HPP
#define SLUICE_BINDINGS_API_STATEMENT_RUNNER_HPP

#include <memory>
#include <string>
#include <utility>

#include <sluice/reference/clickhouse/request.hpp>

#include "background.hpp"
#include "query_sql.hpp"

namespace sluice::bindings {

/// Runs statements with a Python callable, which returns the answer as bytes, or None on failure.
/// Exceptions go to sys.unraisablehook and count as failures. Call it without the GIL; create and
/// destroy it with the GIL.
class statement_runner {
public:
    explicit statement_runner(py::object run)
        : run_(std::make_shared<py::object>(std::move(run))) {}

    [[nodiscard]] result<std::string> operator()(const sql::statement& statement) const {
        result<std::string> answer = fail(rule::store_unavailable);
        with_gil([&] { call(statement, answer); });
        return answer;
    }

private:
    /// Calls the callable and sets `answer` if it returns bytes. Needs the GIL.
    void call(const sql::statement& statement, result<std::string>& answer) const {
        PyObject* const text = py::cast(statement.text).release().ptr();
        PyObject* const bound =
            to_parameters(statement.parameters, sql::dialect::clickhouse).release().ptr();
        PyObject* const returned = PyObject_CallFunctionObjArgs(run_->ptr(), text, bound, nullptr);
        if (returned != nullptr && PyBytes_Check(returned)) {
            answer = std::string(PyBytes_AS_STRING(returned),
                                 static_cast<std::size_t>(PyBytes_GET_SIZE(returned)));
        } else if (returned == nullptr) {
            PyErr_WriteUnraisable(run_->ptr());
        }
        Py_XDECREF(returned);
        Py_DECREF(bound);
        Py_DECREF(text);
    }

    std::shared_ptr<py::object> run_;
};

}  // namespace sluice::bindings

#endif
