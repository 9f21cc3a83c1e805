/** The keys of links, and of the pages that they open, that end in what the code says. */
import { lengthKeys } from "../../../Web/console/links/subject.js";

const kinds = ["person", "incident", "visitors"];

export default {
    "links.share.": kinds, "links.shows.": kinds, "links.of.": [...kinds, "invitation"],
    "links.for.": Object.values(lengthKeys), "links.state.": ["safe", "unaccounted"],
    "share.": ["unaccounted", "checking", "accounted"],
};
