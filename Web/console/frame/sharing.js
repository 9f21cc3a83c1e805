/** The dialogs of links, above any screen; they are loaded when somebody first opens one. */
import { loadScreen } from "../screens.js";
import { html, useEffect, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

export function Sharing() {
    const sharing = useSlice(({ sharing }) => sharing);
    const { closeSharing, notice } = usePage();
    const [Links, setLinks] = useState();
    useEffect(() => {
        if (!sharing || Links) { return; }
        loadScreen({ folder: "links" }).then((Screen) => setLinks(() => Screen), () => {
            notice(t("screens.missing"));
            closeSharing();
        });
    }, [sharing]);
    return sharing && Links && html`<${Links} subject=${sharing.subject} onClose=${closeSharing} />`;
}
