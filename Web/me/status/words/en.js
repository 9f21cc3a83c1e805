/** The words of the own state in English. The other tables have the same keys. */
export default Object.freeze({
    "me.status.label": "Your state",
    "me.status.nothingYet": "The server has not said yet how it sees you.",
    "me.status.says": "The server says:",
    "me.status.said": "The server said {age}, at {time}:",
    "me.status.mayHaveChanged": "It may be different now: this phone does not hear the server.",
    "me.status.callUnsent": "Your call for help is still on this phone: what the server says is from before it",
    "me.status.notFollowed": "It does not follow you: nobody learns from it whether you are safe.",
    "me.status.source.region": "Your phone is inside {place}",
    "me.status.source.position": "Your phone is outside every assembly point",
    "me.status.source.silence": "Nothing was heard of your phone lately",
    "me.status.source.unlocated": "Where your phone is, is not known well enough",
    "me.status.source.seemsToHaveLeft": "You seem to have left {place}",
    "me.status.source.underReview": "It works out anew where you are, because assembly points were edited",
    "me.status.source.ownDeclaration": "You said so yourself",
    "me.status.source.marked": "{name} said so",
    "me.status.source.checkInTimer": "Your check-in did not come in time",
    "me.status.doubt": "In doubt: {doubt}",
    "me.status.paused": "You are paused until {time}, which your leaders read",
    "me.status.guessTitle": "This phone’s own guess",
    "me.status.guess.inside": "This phone thinks you are inside {place}. The server has not confirmed it.",
    "me.status.guess.elsewhere": "This phone thinks you are inside {place}, and outside every assembly point. The "
        + "server has not confirmed it.",
    "me.status.guess.outside": "This phone thinks you are outside every assembly point. The server has not "
        + "confirmed it.",
    "me.status.guess.calling": "Your call for help stands, wherever you are.",
});
