/** The keys of the screen of regions that end in what the code says. */
export default {
    "regions.coordinates.": ["latitude", "longitude"],
    "regions.drawing.": ["polygon", "hole", "circle"],
    "regions.evidence.": ["none", "beacon", "scanner"],
    "regions.file.": ["empty", "packed", "unknown", "tooLarge"],
    "regions.kind.": ["polygon", "circle", "none"],
    "regions.mode.": ["standard", "insideIsSafe", "insideIsDanger"],
    "regions.policy.": ["confident", "raw"],
    "regions.proximity.": ["immediate", "near", "far"],
    "regions.severity.": ["minor", "moderate", "severe", "extreme", "unknown"],
    "regions.said.": [
        "selected", "moved", "inserted", "shifted", "removed", "needed", "holeRemoved", "partRemoved", "replaced",
        "squared", "closed", "holeAdded", "tooFew", "undone", "redone", "nothingToUndo", "nothingToRedo",
    ],
};
