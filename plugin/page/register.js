// The page: its questions as methods of the gateway, and its addresses.

import { registerPageMethods } from "./methods.js";
import { registerPageRoutes } from "./route.js";

/**
 * @param {import("../host.js").PluginApi} api
 * @param {import("../host.js").Host} host
 */
export function registerPage(api, host) {
  registerPageMethods(api, host);
  registerPageRoutes(api, host);
}
