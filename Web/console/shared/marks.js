/**
 * The marks of safety. Each has a shape, a sign and a word of its own (`state.…` in the tables of words), so that its
 * colour is never the only difference. The roster draws them as SVG and the map on a canvas, from the same paths in a
 * square of 24.
 */

export const marks = {
    sos: {
        shape: "M7.3 1.5H16.7L22.5 7.3V16.7L16.7 22.5H7.3L1.5 16.7V7.3Z",
        sign: "M12 5.5v8.4M12 18v.1",
    },
    needsHelp: {
        shape: "M12 1.2 22.8 12 12 22.8 1.2 12Z",
        sign: "M12 6.5v11M6.5 12h11",
    },
    unsafe: {
        shape: "M12 2.2 22.8 21.2H1.2Z",
        sign: "M12 9v5.4M12 17.7v.1",
    },
    seemsToHaveLeft: {
        shape: "M1.5 2.5H13L22.8 12 13 21.5H1.5L7 12Z",
        sign: "M12.6 7.2v5.6M12.6 16.6v.1",
    },
    checking: {
        shape: "M3 1.5H21V5L14.6 12 21 19V22.5H3V19L9.4 12 3 5Z",
        sign: "M8.6 5.6h6.8M8.6 18.6h6.8",
    },
    located: {
        shape: "M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 1 1 0-17Z",
        sign: "M12 11.9v.2",
    },
    unknown: {
        shape: "M3 3H21V21H3Z",
        sign: "M9 9.4a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2M12 17.3v.1",
    },
    offSite: {
        shape: "M2 6H22V18H2Z",
        sign: "M7 12h9M12.5 8.5 16 12l-3.5 3.5",
    },
    safe: {
        shape: "M12 1.5a10.5 10.5 0 1 1 0 21a10.5 10.5 0 1 1 0-21Z",
        sign: "M7 12.4 10.6 16 17 8.4",
    },
};

/** The order of the list: whom to look for first. */
export const markOrder = [
    "sos", "needsHelp", "unsafe", "seemsToHaveLeft", "unknown", "checking", "offSite", "located", "safe",
];

/**
 * The states that are always counted; the others where someone is in them. `checking` comes and goes with single fixes:
 * what stands below must not move with it.
 */
export const usualMarks = new Set(["unsafe", "unknown", "checking", "safe"]);
