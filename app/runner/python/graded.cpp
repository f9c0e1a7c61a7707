#include "app/runner/python/graded.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "app/json/json.h"
#include "app/runner/python/tensor_type.h"

namespace headway::runner::python {

namespace {

// Events of Python's audit, https://docs.python.org/3/library/audit_events.html. One that ends with a dot stands for
// all that begin with it.
constexpr std::array kRefusedEvents{
    "ctypes.",     "mmap.",   "gc.get_objects", "gc.get_referrers", "gc.get_referents", "pickle.find_class",
    "subprocess.", "os.fork", "os.forkpty",     "os.exec",          "os.posix_spawn",   "os.spawn",
    "os.system",   "pty.",    "socket."};
constexpr std::array kRefusedModules{"ctypes",
                                     "_ctypes",
                                     "_ctypes_test",
                                     "mmap",
                                     "cffi",
                                     "_cffi_backend",
                                     "_posixsubprocess",
                                     "multiprocessing",
                                     "_socket",
                                     "_testcapi",
                                     "_testinternalcapi",
                                     "_xxsubinterpreters",
                                     "_interpreters",
                                     "faulthandler",
                                     "pty"};

std::string graded_file;  // the name of the program's file in its code objects

// Whether the Python code that is running is the program's own, and not that of a library that it calls.
bool program_is_running() {
    PyFrameObject* frame = PyEval_GetFrame();  // borrowed
    if (frame == nullptr) {
        return false;
    }
    PyObject* code = reinterpret_cast<PyObject*>(PyFrame_GetCode(frame));
    PyObject* file = code != nullptr ? PyObject_GetAttrString(code, "co_filename") : nullptr;
    const char* name = file != nullptr && PyUnicode_Check(file) != 0 ? PyUnicode_AsUTF8(file) : nullptr;
    const bool own = name == nullptr || graded_file == name;
    Py_XDECREF(file);
    Py_XDECREF(code);
    PyErr_Clear();
    return own;
}

int refuse_events(const char* event, PyObject* arguments, void*) {
    const std::string_view name(event);
    if (name == "import") {
        PyObject* module =
            PyTuple_Check(arguments) != 0 && PyTuple_GET_SIZE(arguments) > 0 ? PyTuple_GET_ITEM(arguments, 0) : nullptr;
        const char* text = module != nullptr && PyUnicode_Check(module) != 0 ? PyUnicode_AsUTF8(module) : nullptr;
        if (text == nullptr) {
            PyErr_Clear();
            return 0;
        }
        if (std::any_of(kRefusedModules.begin(), kRefusedModules.end(),
                        [&](const char* refused) { return std::strcmp(text, refused) == 0; })) {
            PyErr_Format(PyExc_ImportError, "%s is not available in an exercise", text);
            return -1;
        }
        return 0;
    }
    if (name == "code.__new__" && program_is_running()) {  // Python's own imports make code objects, too
        PyErr_SetString(PyExc_PermissionError, "code objects cannot be made in an exercise");
        return -1;
    }
    for (const std::string_view refused : kRefusedEvents) {
        if (name == refused || (refused.back() == '.' && name.starts_with(refused))) {
            PyErr_Format(PyExc_PermissionError, "%s is not available in an exercise", event);
            return -1;
        }
    }
    return 0;
}

// All values together must fit into one meta record of 64 KiB.
constexpr std::size_t kMostElements = 2500;  // of all tensors together; larger ones: evenly spread samples, and sums
constexpr std::size_t kLeastElements = 2;    // of each
constexpr std::size_t kMostValues = 600;     // in lists
constexpr std::size_t kMostText = 4000;
constexpr std::size_t kMostBytes = 62'000;
constexpr int kDeepest = 4;

// JSON has no NaN and no infinity.
std::string json_number(double value) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    }
    std::array<char, 40> text;
    std::snprintf(text.data(), text.size(), "%.9g", value);
    return text.data();
}

// The elements of an exact list or tuple; nothing for other objects.
std::vector<PyObject*> elements_of(PyObject* object) {
    std::vector<PyObject*> elements;
    if (PyList_CheckExact(object) != 0 || PyTuple_CheckExact(object) != 0) {
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
        for (Py_ssize_t i = 0; i < size && elements.size() <= kMostValues; ++i) {
            elements.push_back(PySequence_Fast_GET_ITEM(object, i));
        }
    }
    return elements;
}

std::size_t tensors_in(PyObject* object, int depth) {
    if (is_tensor(object)) {
        return 1;
    }
    std::size_t count = 0;
    if (depth < kDeepest) {
        for (PyObject* element : elements_of(object)) {
            count += tensors_in(element, depth + 1);
        }
    }
    return count;
}

class Writer {
public:
    // `tensors`: how many tensors share the limit on elements.
    explicit Writer(std::size_t tensors)
        : most_elements_(std::max(kLeastElements, kMostElements / std::max<std::size_t>(tensors, 1))) {}

    std::string of(PyObject* object, int depth) {
        if (++count_ > kMostValues) {
            return R"({"kind": "other", "type": "a very long list"})";
        }
        if (object == nullptr) {
            return R"({"kind": "missing"})";
        }
        if (is_tensor(object)) {
            return tensor(*as_tensor(object));
        }
        if (PyBool_Check(object) != 0) {
            return std::string(R"({"kind": "truth", "value": )") + (object == Py_True ? "true}" : "false}");
        }
        if (PyLong_CheckExact(object) != 0 || PyFloat_CheckExact(object) != 0) {
            const double value = PyFloat_AsDouble(object);
            PyErr_Clear();  // too large: -1
            return R"({"kind": "number", "value": )" + json_number(value) + "}";
        }
        if (PyUnicode_CheckExact(object) != 0) {
            const char* text = PyUnicode_AsUTF8(object);
            PyErr_Clear();
            return R"({"kind": "text", "value": )" +
                   json::quoted(text != nullptr ? std::string_view(text).substr(0, kMostText) : "") + "}";
        }
        if ((PyList_CheckExact(object) != 0 || PyTuple_CheckExact(object) != 0) && depth < kDeepest) {
            std::string values;
            for (PyObject* element : elements_of(object)) {
                values += values.empty() ? "" : ", ";
                values += of(element, depth + 1);
            }
            return R"({"kind": "list", "values": [)" + values + "]}";
        }
        return R"({"kind": "other", "type": )" + json::quoted(Py_TYPE(object)->tp_name) + "}";
    }

private:
    [[nodiscard]] std::string tensor(const PyTensor& object) const {
        const runtime::Tensor& value = object.held.value();
        runtime::Runtime& rt = *state().runtime;
        const float* data = value.defined() ? rt.memory.data_of(*value.buffer()) : nullptr;
        const auto elements = value.defined() ? static_cast<std::size_t>(value.elements()) : 0;
        if (data == nullptr && elements != 0) {
            return R"({"kind": "other", "type": "a tensor without values"})";
        }
        std::vector<float> values(elements);
        if (elements != 0) {
            rt.lanes.device(value.device()).read(values.data(), data, elements);
        }
        double sum = 0, sum_of_sizes = 0;
        for (const float one : values) {
            sum += one;
            sum_of_sizes += std::abs(one);
        }
        std::string text = R"({"kind": "tensor", "op": )" + std::to_string(value.last_write()) + R"(, "shape": [)";
        const devices::Shape& shape = value.shape();
        for (int i = 0; i < shape.rank; ++i) {
            text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
        }
        text +=
            "], \"sum\": " + json_number(sum) + ", \"sum_of_sizes\": " + json_number(sum_of_sizes) + ", \"values\": [";
        const std::size_t step = elements / most_elements_ + (elements % most_elements_ != 0 ? 1 : 0);
        for (std::size_t i = 0; i < elements; i += step) {
            text += (i > 0 ? ", " : "") + json_number(static_cast<double>(values[i]));
        }
        return text + "]}";
    }

    std::size_t most_elements_;
    std::size_t count_ = 0;
};

}  // namespace

void guard(const std::string& program) {
    graded_file = program;
    PySys_AddAuditHook(refuse_events, nullptr);
}

std::string values_json(PyObject* names_and_values, const std::vector<std::string>& wanted) {
    std::vector<PyObject*> objects;  // borrowed; null: there is no such name
    std::size_t tensors = 0;
    for (const std::string& name : wanted) {
        objects.push_back(PyDict_GetItemString(names_and_values, name.c_str()));
        PyErr_Clear();
        tensors += objects.back() != nullptr ? tensors_in(objects.back(), 0) : 0;
    }
    Writer writer(tensors);
    std::string text;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        std::string value = writer.of(objects[i], 0);
        if (text.size() + value.size() > kMostBytes) {
            value = R"({"kind": "other", "type": "more than can be recorded"})";
        }
        text += (text.empty() ? "{" : ", ") + json::quoted(wanted[i]) + ": " + value;
    }
    return text.empty() ? "{}" : text + "}";
}

}  // namespace headway::runner::python
