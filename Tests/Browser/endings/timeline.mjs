/** The keys of the timeline that end in what the code says. */
import { kinds } from "../../../Web/console/timeline/listedevents.js";
import { spans } from "../../../Web/console/timeline/range.js";

export default {
    "timeline.kind.": Object.keys(kinds), "timeline.span.": spans, "timeline.before.": spans, "timeline.after.": spans,
};
