// A display list as the bytes of a file: PNG and PDF by cairo, SVG by our own writer, which keeps text as text.
//
// Threads: one per FontSet. Equal lists give equal bytes.
#pragma once

#include <string>
#include <vector>

#include "app/render/display_list.h"
#include "app/render/fonts.h"
#include "engine/core/result.h"
#include "engine/core/system/output_file.h"

namespace headway::figure {

// Metadata written into the file.
struct FileNotes {
    std::string title;
    std::string author;  // the program
    std::string date;    // ISO; left out (PDF: 1970) when empty or not a date
};

// Rows from the top; four bytes per pixel: blue, green, red, unused.
struct Pixels {
    int width = 0, height = 0;
    std::vector<unsigned char> bgrx;
};

// Rasterises the list at `scale` pixels per px.
core::Result<Pixels> pixels_of(const DisplayList& list, float scale, const FontSet& fonts);
core::Result<std::string> png_bytes(const DisplayList& list, float scale, const FontSet& fonts);
core::Result<std::string> pdf_bytes(const DisplayList& list, const FileNotes& notes, const FontSet& fonts);
std::string svg_text(const DisplayList& list, const FileNotes& notes);

using core::write_whole;

}  // namespace headway::figure
