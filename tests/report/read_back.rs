//! Reads a markdown report back with a parser that had no part in writing it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a markdown text holds.
#[derive(Debug, Default)]
pub(crate) struct ReadBack {
    pub(crate) headings: Vec<String>,
    /// Tables by the heading above them; cells as text, HTML left out.
    pub(crate) tables: Vec<(String, Vec<Vec<String>>)>,
    pub(crate) links: Vec<String>,
    /// Every piece of raw HTML.
    pub(crate) html: Vec<String>,
    pub(crate) images: usize,
    /// All text that is shown, code included.
    pub(crate) text: String,
    /// All text outside of code.
    pub(crate) prose: String,
    /// Code blocks with their languages.
    pub(crate) blocks: Vec<(String, String)>,
}

pub(crate) fn read_back(markdown: &str) -> ReadBack {
    let mut out = ReadBack::default();
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut heading: Option<String> = None;
    let mut cell = String::new();
    let mut block: Option<(String, String)> = None;
    let mut in_code = false;
    for event in Parser::new_ext(markdown, options) {
        match &event {
            Event::InlineHtml(html) if &**html == "<code>" => in_code = true,
            Event::InlineHtml(html) if &**html == "</code>" => in_code = false,
            Event::Text(text) if !in_code && block.is_none() => out.prose.push_str(text),
            Event::Text(_) => {}
            // What stands between two pieces of text keeps them apart.
            _ => out.prose.push('\n'),
        }
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => out.headings.extend(heading.take()),
            Event::Start(Tag::Table(_)) => {
                let above = out.headings.last().cloned().unwrap_or_default();
                out.tables.push((above, Vec::new()));
            }
            Event::Start(Tag::TableRow | Tag::TableHead) => {
                out.tables.last_mut().unwrap().1.push(Vec::new());
            }
            Event::Start(Tag::TableCell) => cell.clear(),
            Event::End(TagEnd::TableCell) => {
                let rows = &mut out.tables.last_mut().unwrap().1;
                rows.last_mut().unwrap().push(cell.clone());
            }
            Event::Start(Tag::Link { dest_url, .. }) => out.links.push(dest_url.to_string()),
            Event::Start(Tag::Image { .. }) => out.images += 1,
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    pulldown_cmark::CodeBlockKind::Fenced(language) => language.to_string(),
                    pulldown_cmark::CodeBlockKind::Indented => "indented".to_owned(),
                };
                block = Some((language, String::new()));
            }
            Event::End(TagEnd::CodeBlock) => out.blocks.extend(block.take()),
            Event::Html(html) | Event::InlineHtml(html) => {
                // A line break stands for a space in a cell.
                if html.trim() == "<br>" {
                    cell.push(' ');
                }
                out.html.push(html.to_string());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
                if let Some((_, code)) = &mut block {
                    code.push_str(&text);
                }
                cell.push_str(&text);
                out.text.push_str(&text);
            }
            _ => {}
        }
    }
    out
}

impl ReadBack {
    /// The rows below the head of the first table under a heading.
    pub(crate) fn rows(&self, heading: &str) -> &[Vec<String>] {
        let table = self.tables.iter().find(|(above, _)| above == heading);
        table.map_or(&[], |(_, rows)| rows.get(1..).unwrap_or_default())
    }
}
