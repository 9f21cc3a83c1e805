/** The dialog in which a leader puts a visitor, who has no phone, on the roll of an incident. */
import { Problem } from "./http.js";
import { legible } from "./text.js";

export class VisitorDialog {
    #dialog;
    #form;
    #title;
    #said;
    #add;
    #send;
    #done;
    #incident;

    /**
     * @param {HTMLDialogElement} dialog holds the elements named in index.html
     * @param {(path: string, body: object) => Promise<void>} send posts to the API
     * @param {(words: string) => void} done told what the server has
     */
    constructor(dialog, send, done) {
        this.#dialog = dialog;
        this.#form = dialog.querySelector("form");
        this.#title = dialog.querySelector("h2");
        this.#said = dialog.querySelector("[role=status]");
        this.#add = dialog.querySelector("[type=submit]");
        this.#send = send;
        this.#done = done;
        this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#submit(); });
        dialog.querySelector("[type=button]").addEventListener("click", () => dialog.close());
    }

    /** Asks for a visitor. What was typed and is not on the roll yet stays until the dialog is opened again. */
    open(incident) {
        this.#incident = incident;
        this.#title.textContent = `Visitor on the roll of ${legible(incident.team)}`;
        this.#said.textContent = "";
        this.#dialog.showModal();
    }

    /** Closes the dialog and forgets what was typed: someone else may sign in. */
    forget() {
        this.#dialog.close();
        this.#form.reset();
    }

    async #submit() {
        if (this.#add.disabled) { return; }
        const { name, state, note } = this.#form.elements;
        const body = { name: name.value.trim(), state: state.value };
        if (body.name === "") { this.#said.textContent = "The visitor needs a name."; name.focus(); return; }
        if (note.value.trim() !== "") { body.note = note.value.trim(); }
        this.#add.disabled = true;
        this.#said.textContent = "Sending…";
        try {
            await this.#send(`incidents/${this.#incident.number}/roll`, body);
            this.#form.reset();
            this.#dialog.close();
            this.#done(`The server has ${legible(body.name)} on the roll.`);
        } catch (error) {
            // The server takes no id for a visitor: sending again by itself could put one on the roll twice.
            this.#said.textContent = error instanceof Problem ? `Not added: ${error.message}`
                : "The server does not answer. Look whether the visitor is on the roll before you add them again.";
        } finally {
            this.#add.disabled = false;
        }
    }
}
