import Foundation

/// A picture in SVG; y grows downwards.
struct Drawing {
    private let width: Double
    private let height: Double
    private var body = ""

    init(width: Double, height: Double) {
        (self.width, self.height) = (width, height)
    }

    /// Lines through points; closed when it says so. The style is SVG's, as `fill="none" stroke="black"`.
    mutating func path(_ rings: [[(x: Double, y: Double)]], isClosed: Bool = true, _ style: String) {
        let data = rings.map { ring in
            "M" + ring.map { Self.text($0) }.joined(separator: "L") + (isClosed ? "Z" : "")
        }
        add("<path d=\"\(data.joined())\" \(style)/>")
    }

    mutating func line(_ from: (x: Double, y: Double), _ to: (x: Double, y: Double), _ style: String) {
        path([[from, to]], isClosed: false, "fill=\"none\" " + style)
    }

    mutating func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String) {
        add(
            "<rect x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" width=\"\(Self.text(width))\" "
                + "height=\"\(Self.text(height))\" \(style)/>")
    }

    mutating func dot(_ at: (x: Double, y: Double), radius: Double, _ style: String) {
        add("<circle cx=\"\(Self.text(at.x))\" cy=\"\(Self.text(at.y))\" r=\"\(Self.text(radius))\" \(style)/>")
    }

    mutating func text(_ text: String, _ x: Double, _ y: Double, _ style: String = "") {
        let safe = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        add("<text x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" \(style)>\(safe)</text>")
    }

    /// Draws the body clipped to a box.
    mutating func clipped(_ name: String, _ box: (x: Double, y: Double, side: Double), _ draw: (inout Drawing) -> Void)
    {
        let (x, y, side) = (Self.text(box.x), Self.text(box.y), Self.text(box.side))
        add(
            "<clipPath id=\"\(name)\"><rect x=\"\(x)\" y=\"\(y)\" width=\"\(side)\" height=\"\(side)\"/></clipPath>"
                + "<g clip-path=\"url(#\(name))\">")
        draw(&self)
        add("</g>")
    }

    /// The whole file.
    var svg: String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.text(width)) \(Self.text(height))\" "
            + "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\(body)</svg>\n"
    }

    private mutating func add(_ element: String) { body += element + "\n" }

    private static func text(_ point: (x: Double, y: Double)) -> String { "\(text(point.x)) \(text(point.y))" }

    private static func text(_ number: Double) -> String { String(format: "%g", (number * 100).rounded() / 100) }
}
