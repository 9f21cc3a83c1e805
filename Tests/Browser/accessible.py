"""What a page must be to be used by everybody: clean by axe-core, its targets large enough for a thumb, and no text
longer than its room."""

import importlib.resources

axe_script = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()
views = {
    "desktop, light": (1280, 800, False), "desktop, dark": (1280, 800, True),
    "phone, light": (390, 844, False), "phone, dark": (390, 844, True),
}
target_size = 44

# The rules of WCAG 2.2, levels A and AA, as axe-core knows them; or those alone that look at colours. A target that a
# sticky bar covers where the page happens to be scrolled is measured again in the middle of the view.
run_axe = """async (isOfColours) => {
    const runOnly = isOfColours ? { type: "rule", values: ["color-contrast", "link-in-text-block"] }
        : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
    const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
    const covered = violations.find(({ id }) => id === "target-size");
    if (covered) {
        const isSmall = async ({ target }) => {
            const element = document.querySelector(target[0]);
            // What has gone meanwhile, as a countdown does, is no target.
            if (!element) { return false; }
            element.scrollIntoView({ block: "center" });
            const again = await axe.run(element, { runOnly: { type: "rule", values: ["target-size"] } });
            return again.violations.length > 0;
        };
        const small = [];
        for (const node of covered.nodes) if (await isSmall(node)) small.push(node);
        covered.nodes = small;
    }
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary, html }) =>
        `${id}: ${target.join(" ")}: ${failureSummary.replaceAll("\\n", " ")} ${html.slice(0, 160)}`));
}"""

# A link within a sentence is as high as its line, and the map names its sources so.
small_targets = """(least) => [...document.querySelectorAll("button, select, a, summary, input, [role=button]")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((each) => !each.closest(".maplibregl-ctrl-attrib, .skip:not(:focus)"))
    .map((each) => [each, each.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < least - 0.5 || height < least - 0.5)
    .map(([each, { width, height }]) => `${each.outerHTML.slice(0, 120)}: ${width} by ${height}`)"""

# A text that is cut with an ellipsis says so; every other one has room. A select is as wide as its longest choice.
long_texts = """() => {
    const measured = document.createElement("canvas").getContext("2d");
    const room = (each) => {
        const style = getComputedStyle(each);
        const sides = ["Left", "Right"].map((side) => parseFloat(style[`padding${side}`]));
        return each.clientWidth - sides[0] - sides[1];
    };
    return [...document.querySelectorAll("button, a, summary, label, legend, dt, dd, th, td, h2, h3, select, input")]
        .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter((each) => !each.closest(".visually-hidden, .maplibregl-map, .skip"))
        .flatMap((each) => {
            const style = getComputedStyle(each);
            if (each.matches("select, input")) {
                const text = each.matches("select") ? each.selectedOptions[0]?.text : each.placeholder;
                measured.font = style.font;
                // A select has its arrow beside the text.
                const wanted = measured.measureText(text ?? "").width + (each.matches("select") ? 14 : 0);
                return wanted > room(each) + 1 ? [`${text}: ${wanted} in ${room(each)} pixels`] : [];
            }
            const box = each.getBoundingClientRect();
            const contents = document.createRange();
            contents.selectNodeContents(each);
            return [...contents.getClientRects()]
                .filter(({ left, right, top, bottom }) => left < box.left - 1.5 || right > box.right + 1.5
                    || top < box.top - 2.5 || bottom > box.bottom + 2.5)
                .filter(() => style.textOverflow !== "ellipsis" && ![...each.querySelectorAll("*")].some((inner) =>
                    getComputedStyle(inner).textOverflow === "ellipsis"))
                .slice(0, 1)
                .map(({ left, right, top, bottom }) => `${each.innerText.slice(0, 60)} (${each.tagName}): its text has `
                    + `${[left, top, right, bottom].map(Math.round)}, its box `
                    + `${[box.left, box.top, box.right, box.bottom].map(Math.round)}`);
        });
}"""


def texts_without_room(page):
    """The texts that are too long for their button, field or cell, in each view."""
    found = []
    for name, view in views.items():
        if "dark" not in name:
            page.set_view(*view)
            page.script("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
            found += [f"{name}: {fault}" for fault in page.script(long_texts)]
    return found


def put_axe_in(page):
    """Puts axe-core into the page, where it is not there yet."""
    if page.script("() => typeof axe === 'undefined'"):
        # By the browser's own door: the page's policy lets no script in.
        page.script(axe_script)


def faults_in_view(page, is_dark):
    """What is wrong with the page in its present view. The dark theme has other colours than the light one and no other
    sizes, so the dark one is looked at for its colours alone."""
    page.script("() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))")
    found = page.script(run_axe, is_dark)
    if not is_dark:
        found += [f"too small: {target}" for target in page.script(small_targets, target_size)]
        found += [f"too long: {text}" for text in page.script(long_texts)]
        if page.script("() => document.documentElement.scrollWidth > innerWidth"):
            found.append("the page is wider than the screen")
    return found


def faults_of(page, is_desktop_only=False, is_translation=False):
    """What is wrong with the page as it is now, in each view. Of a page that was looked at in another language the
    colours are known, so that the dark theme, which differs in nothing else, is left out."""
    found = []
    put_axe_in(page)
    for name, (width, height, is_dark) in views.items():
        if is_desktop_only and "phone" in name or is_translation and is_dark:
            continue
        page.set_view(width, height, is_dark)
        found += [f"{name}: {fault}" for fault in faults_in_view(page, is_dark)]
    return found
