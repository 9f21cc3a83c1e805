/** The words of the timer. */
export default Object.freeze({
    "me.timer.label": "Check-in timer",
});
