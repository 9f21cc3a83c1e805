/** The keys of the page of an invitation that end in what the code says. */
export default { "invite.": ["short", "long", "over", "notWhole"] };
