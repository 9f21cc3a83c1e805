/** Runs the order of a button on the screen of an incident. */
import { faultWords } from "../shared/faults.js";
import { usePage, useState } from "../shared/view.js";

/**
 * Runs one order at a time, and says what went wrong with it.
 * @param {(response: Response) => Promise<void>} [take] receives the server's response
 */
export function usePress(take) {
    const { orders } = usePage();
    const [state, setState] = useState({ isBusy: false, fault: "" });
    const press = async (order) => {
        if (state.isBusy) { return; }
        setState({ isBusy: true, fault: "" });
        try {
            await take?.(await orders.press(order));
            setState({ isBusy: false, fault: "" });
        } catch (error) {
            setState({ isBusy: false, fault: faultWords(error) });
        }
    };
    return { ...state, press };
}
