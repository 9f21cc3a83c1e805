/** The words of the timer. */
export default Object.freeze({
    "me.timer.label": "定時連絡タイマー",
});
