// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_API_STATEMENT_RUNNER_HPP
#define SLUICE_BINDINGS_API_STATEMENT_RUNNER_HPP

#include <memory>
#include <string>
#include <utility>

#include <sluice/reference/clickhouse/answer.hpp>

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

    [[nodiscard]] result<std::string> operator()(const sql::statement& asked) const {
        result<std::string> answer = fail(rule::store_unavailable);
        with_gil([&] { call(asked, answer); });
        return answer;
    }

private:
    void call(const sql::statement& asked, result<std::string>& answer) const {
        PyObject* const text = py::cast(asked.text).release().ptr();
        PyObject* const bound =
            to_parameters(asked.parameters, sql::dialect::clickhouse).release().ptr();
        PyObject* const given = PyObject_CallFunctionObjArgs(run_->ptr(), text, bound, nullptr);
        if (given != nullptr && PyBytes_Check(given)) {
            answer = std::string(PyBytes_AS_STRING(given),
                                 static_cast<std::size_t>(PyBytes_GET_SIZE(given)));
        } else if (given == nullptr) {
            PyErr_WriteUnraisable(run_->ptr());
        }
        Py_XDECREF(given);
        Py_DECREF(bound);
        Py_DECREF(text);
    }

    std::shared_ptr<py::object> run_;
};

}  // namespace sluice::bindings

#endif
