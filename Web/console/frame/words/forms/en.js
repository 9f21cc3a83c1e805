/** The words of forms, of what is copied, and of sizes in English. */
export default Object.freeze({
    // Sizes of files and memory
    "size.gigabytes": "{count} GB",
    "size.megabytes": "{count} MB",
    "size.kilobytes": "{count} kB",

    // A text to be copied
    "copy.copy": "Copy",
    "copy.copied": "Copied.",
    "copy.selected": "It is selected: copy it by the keyboard.",
    "copy.copyWhat": "Copy: {name}",

    // What is wrong with a field
    "field.look": "Not saved: look at the fields that are marked.",
    "field.required": "This is needed.",
    "field.name": "Needs 1 to 64 letters without accents, digits or . _ - @, and no spaces.",
    "field.crewName": "Needs 1 to 100 visible characters, with single spaces between them.",
    "field.email": "Needs one e-mail address, without a name and without spaces.",
    "field.displayName": "Needs 1 to {most} characters on one line, none of them invisible.",
    "field.phone": "Needs digits; + ( ) - . / and spaces may stand between them.",
    "field.oneOf": "Needs one of: {names}.",
    "field.noTeam": "There is no such team.",
    "field.noTeamNamed": "There is no team {name}.",
    "field.noUser": "There is no such user, or you may not see them.",
    "field.notInTeam": "This is not a person in the team.",
    "field.noCrew": "The team has no such crew.",
    "field.crewNeedsTeam": "A crew is a part of a team: choose the team, too.",
    "field.userExists": "There is a user {name} already.",
    "field.range": "Needs a number of {least} to {most}.",
    "field.currentPassword": "This is not the current password.",
    "field.repeats": "This repeats the name in line {line}.",
    "field.notColumn": "There is no such column. The columns are {names}.",
    "field.noName": "The column with the names is missing. The columns are {names}.",
    "field.twice": "This column is there a second time.",
    "field.cells": "The row has {cells} cells, and the first line {columns}.",

    // An address that only its own device finds
    "reach.typed": "No other device reaches this server at {host}: on each device, that is the device itself. "
        + "Enter the server’s address in its network or the Internet. It listens there if it is started with "
        + "{command}.",
    "reach.opened": "No other device reaches this server at {host}: on each device, that is the device itself. "
        + "Open this page at the server’s address in its network or the Internet, and make it again there. The "
        + "server listens there if it is started with {command}. Behind a proxy, start it with {option} and its "
        + "public address.",
});
