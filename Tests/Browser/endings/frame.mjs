/** The keys of the frame that end in what the code says: screens, first steps, and statuses of answers. */
export default {
    "screens.": ["people", "incident", "timeline", "regions", "administration", "operations"],
    "search.": ["region", "own", "town"],
    "first.": ["team", "people", "phones", "point"].flatMap((step) => [step, `${step}What`]),
    "fault.": ["401", "403", "404", "409", "412", "413", "429", "503", "507"],
};
