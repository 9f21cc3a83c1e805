/** The words of the page of a share link in English. */
export default Object.freeze({
    "share.place": "{place}, at {time} ({age})",
    "share.running": "since {since}",
    "share.ran": "from {since} to {until}: all clear",
    "share.find": "Find a name",
    "share.noneFound": "Nobody of that name is on the roll.",
    "share.empty": "Nobody is on the roll.",
    "share.unaccounted": { one: "{count} unaccounted", other: "{count} unaccounted" },
    "share.checking": { one: "{count} being checked", other: "{count} being checked" },
    "share.accounted": { one: "{count} accounted for", other: "{count} accounted for" },
});
