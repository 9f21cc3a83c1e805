/** Texts for a test, which no other language has. */
export default Object.freeze({ "trial.only": "only in English" });
