/** The keys of the frame that end in what the code says: screens, and statuses of answers. */
export default {
    "screens.": ["people", "incident", "timeline", "regions", "administration", "operations"],
    "fault.": ["401", "403", "404", "409", "412", "413", "429", "503", "507"],
};
