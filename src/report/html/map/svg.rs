//! The drawing of one event as SVG. Colours come from the style, never from attributes alone: what
//! a colour says stands in words too.

use maud::{Markup, PreEscaped, html};

use crate::report::visible;

use super::layout::{Drawing, Edge, Layer, Node};

/// Height of a line and of a box in it.
const LINE: usize = 46;
const BOX: usize = 38;

/// Width of the whole drawing.
const WIDTH: usize = 1_090;

/// Left edge, width, and columns of text of a layer.
fn layer(layer: Layer) -> (usize, usize, usize) {
    match layer {
        Layer::Event => (1, 190, 25),
        Layer::Consumer => (227, 270, 36),
        Layer::Effect => (533, 330, 45),
        Layer::SetsOff => (899, 190, 25),
    }
}

/// The names of the layers.
pub(super) fn heads() -> Markup {
    let heads = [
        (Layer::Event, "Event"),
        (Layer::Consumer, "Consumer"),
        (Layer::Effect, "Effect"),
        (Layer::SetsOff, "Sets off"),
    ];
    html! {
        svg.heads width=(WIDTH) height="24" viewBox={"0 0 " (WIDTH) " 24"} aria-hidden="true" {
            @for (at, head) in heads { text x=(layer(at).0) y="16" { (head) } }
        }
    }
}

/// The drawing.
pub(super) fn draw(drawing: &Drawing) -> Markup {
    let height = drawing.lines * LINE;
    html! {
        svg width=(WIDTH) height=(height) viewBox={"0 0 " (WIDTH) " " (height)} role="group" {
            @for one in &drawing.edges { (edge(one)) }
            @for one in &drawing.nodes {
                @if let Some(href) = &one.href {
                    a href=(href) data-state=(one.state) data-class=[one.class] { (node(one)) }
                } @else {
                    g data-state=(one.state) data-class=[one.class] { (node(one)) }
                }
            }
        }
    }
}

fn node(node: &Node) -> Markup {
    let (x, width, columns) = layer(node.layer);
    let y = node.line * LINE + (LINE - BOX) / 2;
    let shown = visible::visible(&node.name);
    let says = visible::visible(&node.says);
    html! {
        title { (visible::cut(&shown, visible::NAME_CHARS)) ": " (visible::name(&says)) }
        rect.box.(node.state) x=(x) y=(y) width=(width) height=(BOX) rx="5" {}
        @if node.class.is_some() {
            rect.bar.(node.state) x=(x) y=(y) width="5" height=(BOX) rx="2" {}
        }
        // An inner drawing cuts off what is wider than the box.
        svg x=(x + 10) y=(y) width=(width - 16) height=(BOX) {
            text y="16" { (visible::cut(&shown, columns)) }
            text.says y="31" { (visible::cut(&says, columns + 6)) }
        }
    }
}

/// From the right edge of a box to the left edge of another, down by a line of its own between them.
fn edge(edge: &Edge) -> Markup {
    let middle = |line: usize| line * LINE + LINE / 2;
    let (x, width, _) = layer(edge.from.0);
    let (from, to) = (x + width, layer(edge.to.0).0);
    let (top, bottom) = (middle(edge.from.1), middle(edge.to.1));
    let path = match top == bottom {
        true => format!("M{from} {top}H{to}"),
        false => {
            let bend = from + 18;
            format!(
                "M{from} {top}H{}Q{bend} {top} {bend} {}V{}Q{bend} {bottom} {} {bottom}H{to}",
                bend - 8,
                top + 8,
                bottom - 8,
                bend + 8
            )
        }
    };
    let later = if edge.later { "edge later" } else { "edge" };
    html! { path class=(later) d=(PreEscaped(path)) {} }
}
