#include "app/model/explanation/sentence_writer.h"

#include "app/model/numbers/format.h"

namespace headway::model {

SentenceWriter& SentenceWriter::words(std::string_view words) {
    sentence_.text += words;
    return *this;
}

SentenceWriter& SentenceWriter::name(const std::string& name) {
    sentence_.names.push_back(name);
    return words(name);
}

SentenceWriter& SentenceWriter::number(const char* id, Unit unit, double value, std::string text) {
    words(text);
    sentence_.numbers.push_back({id, unit, value, std::move(text)});
    return *this;
}

SentenceWriter& SentenceWriter::time(const char* id, std::int64_t ns) {
    const auto value = static_cast<double>(ns);
    return number(id, Unit::ns, value, duration_text(value));
}

SentenceWriter& SentenceWriter::moment(const char* id, std::int64_t ns) {
    return time(id, ns - run_.measure_begin_ns());
}

SentenceWriter& SentenceWriter::share(const char* id, std::int64_t part, std::int64_t whole) {
    const double share = whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    return number(id, Unit::share, share, percent_text(share));
}

SentenceWriter& SentenceWriter::bytes(const char* id, std::uint64_t bytes) {
    return number(id, Unit::bytes, static_cast<double>(bytes), bytes_text(bytes));
}

SentenceWriter& SentenceWriter::budget(const char* id, std::uint64_t bytes) {
    return number(id, Unit::bytes, static_cast<double>(bytes), budget_text(bytes));
}

SentenceWriter& SentenceWriter::count(const char* id, std::uint64_t count) {
    return number(id, Unit::count, static_cast<double>(count), count_text(count));
}

SentenceWriter& SentenceWriter::count(const char* id, std::uint64_t count, const char* one, const char* many) {
    this->count(id, count);
    return words(" ").words(count == 1 ? one : many);
}

SentenceWriter& SentenceWriter::times(const char* id, std::uint64_t count) {
    return count == 1   ? number(id, Unit::count, 1, "once")
           : count == 2 ? number(id, Unit::count, 2, "twice")
                        : this->count(id, count).words(" times");
}

SentenceWriter& SentenceWriter::line(const char* before, core::Line line, const char* id) {
    if (core::number_of(line) == 0) {
        return *this;
    }
    words(before).words("line ");
    number(id, Unit::line, core::number_of(line), std::to_string(core::number_of(line)));
    if (run_.file_count() > 2) {  // file 0 is "unknown"
        const std::string& path = run_.file(core::file_of(line));
        words(" of ").name(path.substr(path.rfind('/') + 1));
    }
    return *this;
}

SentenceWriter& SentenceWriter::place(const Place& place) {
    sentence_.places.push_back(place);
    if (int& lane = sentence_.places.back().lane; lane >= static_cast<int>(run_.lanes().size())) {
        lane = -1;  // a damaged recording may name lanes that do not exist
    }
    return *this;
}

SentenceWriter& SentenceWriter::places(const std::vector<Place>& places) {
    for (const Place& each : places) {
        place(each);
    }
    return *this;
}

}  // namespace headway::model
