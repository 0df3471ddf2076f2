import { MethodNotAllowed, NotFound } from "./problem";
import type { Server } from "./surroundings";

interface Address {
  readonly pattern: RegExp;
  readonly methods: string[];
}

/** Distinguishes 405 from 404. Register it before the routes, and after the guard. */
export function refuseUnknownAddresses(server: Server): void {
  const addresses = new Map<string, Address>();
  server.addHook("onRoute", ({ url, method, config }) => {
    const described = config?.describedUrl ?? url;
    const address = addresses.get(described) ?? { pattern: patternOf(described), methods: [] };
    address.methods.push(...[method].flat());
    addresses.set(described, address);
  });
  server.addHook("onRequest", async (request) => {
    if (!request.is404) {
      return;
    }
    const path = request.url.split("?")[0] ?? "";
    // The longest pattern is the most specific: `/models/pull` before `/models/:model`.
    const [closest] = [...addresses]
      .filter(([, { pattern }]) => pattern.test(path))
      .sort(([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")) || b.length - a.length);
    if (closest === undefined) {
      throw new NotFound("this address does not exist; /openapi.json lists all");
    }
    throw new MethodNotAllowed(closest[1].methods);
  });
}

/** Only model names contain slashes. */
function patternOf(described: string): RegExp {
  const text = described
    .replaceAll(".", "\\.")
    .replace(":model", ".+")
    .replace(/:[a-z]+/g, "[^/]+");
  return new RegExp(`^${text}$`);
}
