#include "app/model/user_data/user_data.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/whole_file.h"

namespace headway::model {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::uintmax_t kMostFileBytes = 4u << 20;

// The file's JSON; empty if there is no file.
core::Result<std::optional<json>> read_json(const fs::path& file) {
    std::error_code problem;
    if (!fs::exists(file, problem)) {
        return std::optional<json>();
    }
    const auto wrong = [&file](const char* why) {
        return core::Error{core::ErrorKind::unreadable, file.string() + " " + why};
    };
    if (!fs::is_regular_file(file, problem) || fs::file_size(file, problem) > kMostFileBytes || problem) {
        return wrong("is not a Headway data file: it is not a regular file, or is larger than 4 MiB");
    }
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (in.bad()) {
        return wrong("cannot be read");
    }
    json value = json::parse(bytes, nullptr, false);
    if (value.is_discarded() || !value.is_object()) {
        return wrong("is damaged: it is not a JSON object");
    }
    return std::optional(std::move(value));
}

// Renames an unreadable file instead of overwriting it: it may contain something the user still wants.
void set_aside_damaged(const fs::path& file) {
    std::error_code ignored;
    fs::path bad = file;
    bad += ".bad";
    fs::rename(file, bad, ignored);
}

core::Result<void> write_json(const fs::path& file, const json& value) {
    std::error_code problem;
    fs::create_directories(file.parent_path(), problem);
    return core::write_whole(file.string(), value.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace

std::string note_from(std::string_view text) {
    std::string note;
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        note += u < 0x20 || u == 0x7f ? ' ' : c;
    }
    if (note.size() > kMostBookmarkBytes) {
        std::size_t end = kMostBookmarkBytes;
        while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xc0) == 0x80) {
            --end;
        }
        note.resize(end);
    }
    const auto first = note.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : note.substr(first, note.find_last_not_of(' ') - first + 1);
}

fs::path kept_folder() {
    const char* data = std::getenv("XDG_DATA_HOME");
    if (data != nullptr && *data == '/') {
        return fs::path(data) / "headway";
    }
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home == '/') {
        return fs::path(home) / ".local" / "share" / "headway";
    }
    std::error_code problem;
    return fs::temp_directory_path(problem) / ("headway-" + std::to_string(getuid()));
}

fs::path arrangement_file(const fs::path& folder) {
    return folder / "lanes.json";
}

fs::path bookmarks_file(const fs::path& folder, std::uint64_t fingerprint) {
    std::array<char, 24> name{};
    std::snprintf(name.data(), name.size(), "%016llx.json", static_cast<unsigned long long>(fingerprint));
    return folder / "marks" / name.data();
}

core::Result<std::vector<Bookmark>> read_bookmarks(const fs::path& file) {
    auto read = read_json(file);
    if (!read) {
        return read.error();
    }
    std::vector<Bookmark> bookmarks;
    if (!*read) {
        return bookmarks;
    }
    const json& value = **read;
    const auto list = value.find("marks");
    if (list == value.end() || !list->is_array()) {
        return core::Error{core::ErrorKind::unreadable, file.string() + " is damaged: it has no list \"marks\""};
    }
    for (const json& entry : *list) {
        const auto number = [&entry](const char* name) {
            const auto found = entry.is_object() ? entry.find(name) : entry.end();
            return entry.is_object() && found != entry.end() && found->is_number_integer()
                       ? std::optional(found->get<std::int64_t>())
                       : std::nullopt;
        };
        const auto begin = number("begin_ns"), end = number("end_ns");
        if (!begin || !end || *end < *begin || bookmarks.size() >= kMostBookmarks) {
            return core::Error{core::ErrorKind::unreadable,
                               file.string() + " is damaged at bookmark " + std::to_string(bookmarks.size() + 1)};
        }
        const auto text = entry.find("note");
        bookmarks.push_back(
            {*begin, *end, text != entry.end() && text->is_string() ? note_from(text->get<std::string>()) : ""});
    }
    std::stable_sort(bookmarks.begin(), bookmarks.end(),
                     [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
    return bookmarks;
}

core::Result<void> write_bookmarks(const fs::path& file, const std::vector<Bookmark>& bookmarks) {
    if (!read_bookmarks(file)) {
        set_aside_damaged(file);
    }
    if (bookmarks.empty()) {
        std::error_code problem;
        fs::remove(file, problem);
        return problem ? core::Result<void>(core::Error{core::ErrorKind::unreadable,
                                                        file.string() + " cannot be removed: " + problem.message()})
                       : core::Result<void>();
    }
    json list = json::array();
    for (const auto& bookmark : bookmarks) {
        list.push_back({{"begin_ns", bookmark.begin_ns}, {"end_ns", bookmark.end_ns}, {"note", bookmark.text}});
    }
    return write_json(file, {{"marks", std::move(list)}});
}

namespace {

// Collects remarks about entries of an arrangement file that were left out.
class Remarks {
public:
    Remarks(const fs::path& file, std::vector<std::string>* to) : file_(file.string()), to_(to) {}

    void say(const std::string& what) {
        constexpr std::size_t kMost = 8;
        if (to_ != nullptr && ++said_ <= kMost) {
            to_->push_back(file_ + ": " + what);
        } else if (to_ != nullptr && said_ == kMost + 1) {
            to_->push_back(file_ + ": there are further problems, which are not listed");
        }
    }
    void unknown_keys(const json& object, const std::string& where, std::initializer_list<std::string_view> known) {
        for (const auto& [key, value] : object.items()) {
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                say("unknown key \"" + note_from(key).substr(0, 60) + "\" " + where + "; it was ignored");
            }
        }
    }

private:
    std::string file_;
    std::vector<std::string>* to_;
    std::size_t said_ = 0;
};

// True for the names of timeline rows: "lane 3", "memory" …
bool is_row(std::string_view row) {
    for (const std::string_view alone : {"scopes", "frontend", "headway", "launch", "memory"}) {
        if (row == alone) {
            return true;
        }
    }
    for (const std::string_view counted : {"lane ", "memory "}) {
        if (row.starts_with(counted) && row.size() > counted.size() && row.size() <= counted.size() + 2) {
            const auto number = row.substr(counted.size());
            return number.find_first_not_of("0123456789") == std::string_view::npos;
        }
    }
    return false;
}

// `of`: " of train on cuda", or "". Appended to the row's number in remarks.
Arrangement rows_from(const json& list, const std::string& of, Remarks& remarks) {
    Arrangement arrangement;
    std::size_t place = 0;
    for (const json& entry : list) {
        const std::string where = "row " + std::to_string(++place) + of;
        if (!entry.is_object() || arrangement.size() >= kMostRows) {
            remarks.say(where +
                        (entry.is_object() ? " is beyond the limit of " + std::to_string(kMostRows) + " rows"
                                           : " is not an object") +
                        "; it was ignored");
            continue;
        }
        remarks.unknown_keys(entry, "of " + where, {"row", "name", "collapsed", "pinned", "height"});
        const auto mistyped = [&](const char* name, bool right, const char* what) {
            if (!right) {
                remarks.say(std::string(name) + " of " + where + " is not " + what + "; it was ignored");
            }
        };
        RowSetting setting;
        const auto text = [&](const char* name) {
            const auto found = entry.find(name);
            mistyped(name, found == entry.end() || found->is_string(), "a text");
            return found != entry.end() && found->is_string() ? note_from(found->get<std::string>()) : std::string();
        };
        const auto yes = [&](const char* name) {
            const auto found = entry.find(name);
            mistyped(name, found == entry.end() || found->is_boolean(), "true or false");
            return found != entry.end() && found->is_boolean() && found->get<bool>();
        };
        setting.row = text("row");
        setting.name = text("name");
        setting.collapsed = yes("collapsed");
        setting.pinned = yes("pinned");
        if (const auto height = entry.find("height"); height != entry.end()) {
            const double px = height->is_number() ? height->get<double>() : 0;
            setting.height_px = px > 0 && px < 10'000 ? static_cast<float>(px) : 0;
            mistyped("height", setting.height_px > 0, "a height in px");
        }
        if (!is_row(setting.row)) {
            remarks.say("\"" + setting.row.substr(0, 60) + "\", " + where + ", is not a row of the timeline");
        } else if (setting_of(arrangement, setting.row) != nullptr) {
            remarks.say("\"" + setting.row + "\", " + where + ", occurs twice; the second one was ignored");
        }
        if (!setting.row.empty() && setting_of(arrangement, setting.row) == nullptr) {
            arrangement.push_back(std::move(setting));
        }
    }
    return arrangement;
}

// The arrangement of one program; empty if it is invalid.
std::optional<Arrangements::Own> own_from(const json& entry, std::size_t place, Remarks& remarks) {
    const auto text = [&entry](const char* name) {
        const auto found = entry.find(name);
        return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto rows = entry.is_object() ? entry.find("rows") : entry.end();
    if (!entry.is_object() || text("program").empty() || rows == entry.end() || !rows->is_array()) {
        remarks.say("program " + std::to_string(place) + " has no name or no list of rows; it was ignored");
        return std::nullopt;
    }
    Arrangements::Own own{text("program"), text("device"), {}};
    const std::string of = " of " + note_from(own.program).substr(0, 60) +
                           (own.device.empty() ? "" : " on " + note_from(own.device).substr(0, 20));
    remarks.unknown_keys(entry, "next to rows" + of, {"program", "device", "rows"});
    own.rows = rows_from(*rows, of, remarks);
    return own;
}

json json_of(const Arrangement& arrangement) {
    json list = json::array();
    for (const auto& setting : arrangement) {
        json entry{{"row", setting.row}};
        if (setting.height_px > 0) {
            entry["height"] = setting.height_px;
        }
        if (setting.collapsed) {
            entry["collapsed"] = true;
        }
        if (setting.pinned) {
            entry["pinned"] = true;
        }
        if (!setting.name.empty()) {
            entry["name"] = setting.name;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

core::Result<Arrangements> read_arrangements(const fs::path& file, std::vector<std::string>* remarks_out) {
    Remarks remarks(file, remarks_out);
    auto read = read_json(file);
    if (!read) {
        return read.error();
    }
    Arrangements arrangements;
    if (!*read) {
        return arrangements;
    }
    const json& value = **read;
    const auto rows = value.find("rows"), programs = value.find("programs");
    const auto is_list = [&value](auto found) { return found != value.end() && found->is_array(); };
    if (!is_list(rows) && !is_list(programs)) {
        return core::Error{core::ErrorKind::unreadable,
                           file.string() + " is damaged: it has no list \"rows\" or \"programs\""};
    }
    remarks.unknown_keys(value, "next to rows", {"rows", "programs"});
    for (const auto& [found, name] : {std::pair{rows, "rows"}, {programs, "programs"}}) {
        if (found != value.end() && !found->is_array()) {
            remarks.say(std::string(name) + " is not a list; it was ignored");
        }
    }
    if (is_list(rows)) {
        arrangements.general = rows_from(*rows, "", remarks);
    }
    std::size_t place = 0;
    for (const json& entry : is_list(programs) ? *programs : json::array()) {
        ++place;
        auto own = own_from(entry, place, remarks);
        const bool again = own && std::any_of(arrangements.own.begin(), arrangements.own.end(), [&](const auto& other) {
                               return other.program == own->program && other.device == own->device;
                           });
        if (again || place > Arrangements::kMost) {
            remarks.say("program " + std::to_string(place) +
                        (again ? std::string(" occurs twice; the second one was ignored")
                               : " is beyond the limit of " + std::to_string(Arrangements::kMost) +
                                     " programs; it was ignored"));
        } else if (own) {
            arrangements.own.push_back(std::move(*own));
        }
    }
    return arrangements;
}

core::Result<void> write_arrangements(const fs::path& file, const Arrangements& arrangements) {
    if (!read_arrangements(file)) {
        set_aside_damaged(file);
    }
    if (arrangements == Arrangements()) {
        std::error_code ignored;
        fs::remove(file, ignored);
        return {};
    }
    json value = json::object();
    if (!arrangements.general.empty() || arrangements.own.empty()) {
        value["rows"] = json_of(arrangements.general);
    }
    for (const Arrangements::Own& own : arrangements.own) {
        value["programs"].push_back({{"program", own.program}, {"device", own.device}, {"rows", json_of(own.rows)}});
    }
    return write_json(file, value);
}

}  // namespace headway::model
