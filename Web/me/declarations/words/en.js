/** The words of what a person says of themselves in English. The other tables have the same keys. */
export default Object.freeze({
    "me.declarations.label": "Say how you are",
    "me.declarations.what": "What you said, and where it is now",
    "me.declarations.sending": "{what}: on this phone, being sent…",
    "me.declarations.waits": "{what}, said {time}: on this phone, not sent yet ({reason}). It is sent as soon as "
        + "the server can be reached.",
    "me.declarations.kept": "{what}, said {time}: on this phone. It is sent as soon as the server answers.",
    "me.declarations.emergency": "If you can, call the emergency number.",
    "me.declarations.unkept": "This phone cannot keep it: leave this page open until it is sent.",
    "me.declarations.server": "{what}: at the server {time}.",
    "me.declarations.late": "{what}: at the server {time}. It changed nothing there: a call for help or something "
        + "newer stands.",
    "me.declarations.refused": "{what}: not taken. The server says: {reason}",
    "me.declarations.cancelled": "{what}: cancelled, nothing was sent.",
    "me.declarations.seen": "{what}: {name} has seen it.",
    "me.declarations.unseen": "{what}: at the server since {time}. Nobody has answered yet.",
    "me.declarations.clear": "“I no longer need help”",
    "me.declarations.noPlace": "This app does not know where you are now. Write it to your leaders.",
    "me.declarations.end": "I no longer need help…",
    "me.declarations.askEnd": "Take back your call for help? Your leaders will see that you took it back.",
    "me.declarations.endNow": "Take it back",
    "me.declarations.messages": { one: "{count} message", other: "{count} messages" },
    "me.declarations.positions": { one: "{count} position", other: "{count} positions" },
});
