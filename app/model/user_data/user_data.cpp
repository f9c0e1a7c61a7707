#include "app/model/user_data/user_data.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "app/json/json.h"
#include "app/json/json_file.h"
#include "engine/core/system/output_file.h"

namespace headway::model {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kFarthestNs = std::int64_t{1} << 61;  // farther than any time of a run

core::Result<void> write_json(const fs::path& file, const Json& value) {
    std::error_code problem;
    fs::create_directories(file.parent_path(), problem);
    return core::write_whole(file.string(), value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
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

fs::path user_data_folder() {
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
    auto read = json::read_file(file);
    if (!read) {
        return read.error();
    }
    std::vector<Bookmark> bookmarks;
    if (!*read) {
        return bookmarks;
    }
    const json::Value list = (*read)->root()["marks"];
    if (!list.is_array()) {
        return core::Error{core::ErrorKind::unreadable, file.string() + " is damaged: it has no list \"marks\""};
    }
    for (const json::Value entry : list.elements()) {
        const auto begin = entry["begin_ns"].integer(), end = entry["end_ns"].integer();
        if (!begin || !end || *end < *begin || *begin < -kFarthestNs || *end > kFarthestNs ||
            bookmarks.size() >= kMostBookmarks) {
            return core::Error{core::ErrorKind::unreadable,
                               file.string() + " is damaged at bookmark " + std::to_string(bookmarks.size() + 1)};
        }
        bookmarks.push_back({*begin, *end, note_from(entry["note"].text())});
    }
    std::stable_sort(bookmarks.begin(), bookmarks.end(),
                     [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
    return bookmarks;
}

core::Result<void> write_bookmarks(const fs::path& file, const std::vector<Bookmark>& bookmarks) {
    if (!read_bookmarks(file)) {
        json::set_aside_damaged(file);
    }
    if (bookmarks.empty()) {
        std::error_code problem;
        fs::remove(file, problem);
        return problem ? core::Result<void>(core::Error{core::ErrorKind::unreadable,
                                                        file.string() + " cannot be removed: " + problem.message()})
                       : core::Result<void>();
    }
    Json list = Json::array();
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
    void unknown_keys(json::Value object, const std::string& where, std::initializer_list<std::string_view> known) {
        for (const auto& [key, value] : object.members()) {
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
    constexpr std::size_t kDigits = 3;
    for (const std::string_view counted : {"lane ", "link ", "memory "}) {
        if (row.starts_with(counted) && row.size() > counted.size() && row.size() <= counted.size() + kDigits) {
            const auto number = row.substr(counted.size());
            return number.find_first_not_of("0123456789") == std::string_view::npos;
        }
    }
    return false;
}

// `of`: " of train on cuda", or "". Appended to the row's number in remarks.
Arrangement rows_from(json::Value list, const std::string& of, Remarks& remarks) {
    Arrangement arrangement;
    std::size_t place = 0;
    for (const json::Value entry : list.elements()) {
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
        const auto is_text_or_absent = [&](const char* name) { return !entry[name] || entry[name].is_text(); };
        const auto text = [&](const char* name) {
            mistyped(name, is_text_or_absent(name), "a text");
            return note_from(entry[name].text());
        };
        const auto yes = [&](const char* name) {
            const json::Value found = entry[name];
            mistyped(name, !found || found.is_bool(), "true or false");
            return found.is_true();
        };
        setting.row = text("row");
        setting.name = text("name");
        setting.collapsed = yes("collapsed");
        setting.pinned = yes("pinned");
        if (const json::Value height = entry["height"]) {
            const double px = height.number().value_or(0);
            setting.height_px = px > 0 && px < 10'000 ? static_cast<float>(px) : 0;
            mistyped("height", setting.height_px > 0, "a height in px");
        }
        if (is_text_or_absent("row") && !is_row(setting.row)) {
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
std::optional<Arrangements::Own> own_from(json::Value entry, std::size_t place, Remarks& remarks) {
    const json::Value rows = entry["rows"];
    if (entry["program"].text().empty() || !rows.is_array()) {
        remarks.say("program " + std::to_string(place) + " has no name or no list of rows; it was ignored");
        return std::nullopt;
    }
    Arrangements::Own own{std::string(entry["program"].text()), std::string(entry["device"].text()), {}};
    const std::string of = " of " + note_from(own.program).substr(0, 60) +
                           (own.device.empty() ? "" : " on " + note_from(own.device).substr(0, 20));
    remarks.unknown_keys(entry, "next to rows" + of, {"program", "device", "rows"});
    own.rows = rows_from(rows, of, remarks);
    return own;
}

Json json_of(const Arrangement& arrangement) {
    Json list = Json::array();
    for (const auto& setting : arrangement) {
        Json entry{{"row", setting.row}};
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
    auto read = json::read_file(file);
    if (!read) {
        return read.error();
    }
    Arrangements arrangements;
    if (!*read) {
        return arrangements;
    }
    const json::Value value = (*read)->root();
    const json::Value rows = value["rows"], programs = value["programs"];
    if (!rows.is_array() && !programs.is_array()) {
        return core::Error{core::ErrorKind::unreadable,
                           file.string() + " is damaged: it has no list \"rows\" or \"programs\""};
    }
    remarks.unknown_keys(value, "next to rows", {"rows", "programs"});
    for (const auto& [found, name] : {std::pair{rows, "rows"}, {programs, "programs"}}) {
        if (found && !found.is_array()) {
            remarks.say(std::string(name) + " is not a list; it was ignored");
        }
    }
    arrangements.general = rows_from(rows, "", remarks);
    std::size_t place = 0;
    for (const json::Value entry : programs.elements()) {
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
        json::set_aside_damaged(file);
    }
    if (arrangements == Arrangements()) {
        std::error_code ignored;
        fs::remove(file, ignored);
        return {};
    }
    Json value = Json::object();
    if (!arrangements.general.empty() || arrangements.own.empty()) {
        value["rows"] = json_of(arrangements.general);
    }
    for (const Arrangements::Own& own : arrangements.own) {
        value["programs"].push_back({{"program", own.program}, {"device", own.device}, {"rows", json_of(own.rows)}});
    }
    return write_json(file, value);
}

}  // namespace headway::model
