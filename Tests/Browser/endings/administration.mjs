/** The keys of the screen `administration` that end in what the code says. */
const roles = ["member", "leader", "analyst", "gateway", "admin"];

export default {
    "administration.": ["attendance.title", "attendance.what", "proximity.title", "proximity.what"],
    "administration.part.": ["people", "invitations", "teams", "crews", "devices", "import", "export"],
    "administration.role.": roles, "administration.roleDoes.": roles,
    "administration.password.": ["short", "long"],
    "administration.keep.": ["device-tokens", "tokens-for-others", "api-keys", "aws-keys", "links", "push-devices"],
    "administration.invitations.lasts.": ["hour", "day", "week", "month"],
    "administration.devices.is.": ["never", "silent", "low", "clock"],
    "administration.setting.": [
        "silence", "showsSafetyAlways", "declaredHolds", "parEvery", "closesDrills", "closesRealIncidents",
        "closesAfter", "allowsPause",
    ],
    "administration.settingHint.": ["silence", "declaredHolds", "parEvery", "closesAfter"],
    "administration.attendance.": ["minimum", "after", "grace"],
    "administration.day.": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    "administration.handOut.as.": ["owntracks", "invitation", "password"],
    "administration.handOut.card.": ["owntracks", "invitation"],
    "administration.handOut.lost.": ["owntracks", "invitation", "password"],
    "administration.tracker.": ["traccar", "overland", "gpslogger", "ulogger", "phonetrack"],
    "administration.tokens.kind.": ["certificate", "enrollment"],
    "administration.export.of.": ["everyone", "team", "person"],
    "administration.export.": ["users", "regions"],
};
