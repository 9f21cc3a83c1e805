/** The words of imports, exports and what many people are given in English. */
export default Object.freeze({
    // Faults of a table

    // Import
    "administration.import.what": "A table of users as a spreadsheet saves it (CSV): all of them are created, or "
        + "none. Only the column with the name must be there.",
    "administration.import.file": "Table, up to 32 MiB; or drop it here",
    "administration.import.tooLarge": "The table is larger than 32 MiB: import it in parts.",
    "administration.import.spreadsheet": "This is no CSV, but a file of Excel or another spreadsheet. Save it as "
        + "CSV there, and choose that file.",
    "administration.import.notText": "This is no CSV, but a picture or another kind of file. Save a table as "
        + "CSV, and choose that file.",
    "administration.import.empty": "This file is empty.",
    "administration.import.noRows": "This table has a header and no rows: it has nobody to import.",
    "administration.import.makesTeams": "Create teams that do not exist; otherwise they are faults",
    "administration.import.device": "Name of a device for each; empty for none",
    "administration.import.deviceHint": "With a device each of them can be given a phone at once",
    "administration.import.try": "Look for faults", "administration.import.trying": "Looking…",
    "administration.import.do": "Import",
    "administration.import.doing": "Importing. This may take minutes; every other report waits for it.",
    "administration.import.wouldMake": "No fault. It would create {words}.",
    "administration.import.newTeams": "New teams: {names}.",
    "administration.import.teamAlike": "{name} (new; is {other} meant?)",
    "administration.import.done": "Created: {words}.", "administration.import.doneTitle": "Imported",
    "administration.import.again": "Import another table",
    "administration.import.users": { one: "{count} user", other: "{count} users" },
    "administration.import.teams": { one: "{count} team", other: "{count} teams" },
    "administration.import.crews": { one: "{count} crew", other: "{count} crews" },
    "administration.import.devices": { one: "{count} device", other: "{count} devices" },
    "administration.import.faults": {
        one: "Nothing was imported: {count} fault.",
        other: "Nothing was imported: {count} faults.",
    },
    "administration.import.line": "line {line}", "administration.import.cell": "line {line}, {column}",
    "administration.import.moreFaults": "And {count} more.",
    "administration.import.unsure": "The server does not answer, and may have imported it: look at the users "
        + "before you repeat it.",

    // What people are given to begin with
    "administration.handOut.open": "Give them phones, invitations or passwords…",
    "administration.handOut.title": "What these people are given to begin with",
    "administration.handOut.what": { one: "For {count} person.", other: "For {count} people." },
    "administration.handOut.tooMany": "At most {count} at once: choose fewer, by team or role.",
    "administration.handOut.kind": "What",
    "administration.handOut.as.owntracks": "A phone set up by a code: each scans it with OwnTracks",
    "administration.handOut.as.invitation": "An invitation: each sets a password of their own",
    "administration.handOut.as.password": "A password that this page makes; it replaces the one before, "
        + "and ends invitations that were not used",
    "administration.handOut.make": { one: "Make them for {count} person", other: "Make them for {count} people" },
    "administration.handOut.progress": "{done} of {all} made",
    "administration.handOut.stopped": "It stopped at {name}: {reason}",
    "administration.handOut.goOn": "Go on with the other {count}",
    "administration.handOut.made": { one: "Made for {count} person.", other: "Made for {count} people." },
    "administration.handOut.leftOut": "Left out, because they have a password already: {names}.",
    "administration.handOut.once": "These are secrets, and shown only now: print or save them before you leave. "
        + "Delete the file once they are handed out.",
    "administration.handOut.print": "Print a card for each", "administration.handOut.save": "Save as a table",
    "administration.handOut.losing": "Close without printing or saving?",
    "administration.handOut.lose": "Close, and lose them",
    "administration.handOut.lost.owntracks": {
        one: "The code of {count} person is lost: it is shown only now, and the phone is not set up. Its token "
            + "stays valid until it is revoked on the page of the device.",
        other: "The codes of {count} people are lost: they are shown only now, and the phones are not set up. "
            + "Their tokens stay valid until they are revoked on the pages of the devices.",
    },
    "administration.handOut.lost.invitation": {
        one: "The invitation of {count} person is lost: it is shown only now. It stays valid until its time is "
            + "over or it is withdrawn under Invitations.",
        other: "The invitations of {count} people are lost: they are shown only now. They stay valid until their "
            + "time is over or they are withdrawn under Invitations.",
    },
    "administration.handOut.lost.password": {
        one: "The password of {count} person is lost: it is shown only now, and the one before is no longer "
            + "valid. That person can sign in only with yet another one.",
        other: "The passwords of {count} people are lost: they are shown only now, and those before are no longer "
            + "valid. These people can sign in only with yet other ones.",
    },
    "administration.handOut.card.owntracks": "Install OwnTracks, allow external configuration, scan this code, "
        + "and forbid it again. This card is secret.",
    "administration.handOut.card.invitation": "Scan this code and set a password of your own. It works once. "
        + "This card is secret.",

    // Export
    "administration.export.positions": "Positions", "administration.export.of": "Of whom",
    "administration.export.of.everyone": "everyone", "administration.export.of.team": "a team",
    "administration.export.of.person": "a person", "administration.export.person": "Person",
    "administration.export.from": "From", "administration.export.to": "Until, by this device’s clock",
    "administration.export.noSpan": "The end must be after the beginning.",
    "administration.export.form": "Format",
    "administration.export.devices": { one: "{count} device", other: "{count} devices" },
    "administration.export.do": "Export", "administration.export.progress": "{done} of {all} devices, {size}",
    "administration.export.done": "The file is complete: {size}.",
    "administration.export.empty": {
        one: "{count} device has no position in that time.",
        other: "{count} devices have no position in that time.",
    },
    "administration.export.gone": {
        one: "{count} device was removed meanwhile.",
        other: "{count} devices were removed meanwhile.",
    },
    "administration.export.cancelled": "Cancelled: no file was made.",
    "administration.export.failed": "No file was made: {reason}",
    "administration.export.tooLarge": "More than this browser can collect: choose a shorter time or fewer people.",
    "administration.export.others": "Users and regions",
    "administration.export.usersWhat": "All users, as a table that can be imported again, and all regions.",
    "administration.export.usersOfTeam": "The users of your team as a table, and all regions.",
    "administration.export.users": "Users as CSV", "administration.export.regions": "Regions as GeoJSON",
    "administration.export.read": "{count} read",
});
