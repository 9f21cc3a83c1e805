/** The keys of incidents that end in what the code says. */
export default {
    "incident.count.": ["accounted", "checking", "unaccounted", "people"], "incident.role.": ["admin", "leader"],
    "incident.marked": ["Safe", "OffSite"], "incident.said": ["Safe", "OffSite"],
    "incident.parCrew": ["Short", "More", "Whole"],
    "incident.save.": ["html", "csv", "json"], "incident.sign.": ["leader", "officer", "witness"],
    "ask.": ["safe", "offSite", "clear"],
};
