import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);

/** Chromium of this machine (`apt-get install chromium`), or the one that CHROMIUM names. */
export function launchChromium(...args: readonly string[]): Promise<Browser> {
  return chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args: ["--no-sandbox", ...args] });
}
