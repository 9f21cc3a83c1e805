/** The words of an incident's call in English. The other tables have the same keys. */
export default Object.freeze({
    "me.call.label": "What is called for",
    "me.call.real": "Evacuate",
    "me.call.drill": "Drill: evacuate",
    "me.call.line": "Team {team}, since {time}",
    "me.call.do": "Go to the assembly point now.",
    "me.call.doDrill": "This is a drill. Go to the assembly point as you would in an emergency.",
    "me.call.acknowledge": "I have seen this",
    "me.call.means": "It tells your leaders that the call has reached you, not that you are safe.",
    "me.call.seen": "You saw the call at {time}.",
    "me.call.seenHere": "You saw the call at {time}: that is on this phone, and not sent yet.",
    "me.call.announced": "Your team was called to evacuate. This phone has no more from the server yet.",
    "me.call.over": "The call that you were notified of is over.",
    "me.call.way": "Show me the way",
});
