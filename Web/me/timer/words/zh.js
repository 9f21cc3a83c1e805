/** The words of the timer. */
export default Object.freeze({
    "me.timer.label": "签到计时器",
});
