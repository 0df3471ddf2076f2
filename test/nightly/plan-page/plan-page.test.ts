/** The page of `npm run plan -- <name> --html`, in Chromium and on paper. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { launchChromium } from "../chromium";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = [360, 768, 1440].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
);

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "plan-page-"));

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(["aws-prod", "oci-h100"])("of %s", (name) => {
  const file = join(folder, `${name}.html`);

  beforeAll(() => {
    execFileSync("node", ["cli/run.mjs", "plan", name, "--html", file], { cwd: repositoryRoot(), stdio: "ignore" });
  });

  async function opened<T>(view: (typeof VIEWS)[number], read: (page: Page) => Promise<T>): Promise<T> {
    const { width, colorScheme } = view;
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    try {
      const page = await context.newPage();
      await page.goto(pathToFileURL(file).href);
      return await read(page);
    } finally {
      await context.close();
    }
  }

  it.each(VIEWS)("has no horizontal scroll and no finding of axe-core at $width px, $colorScheme", async (view) => {
    const found = await opened(view, async (page) => {
      await page.evaluate(AXE);
      return page.evaluate<[number, string[]]>(
        "axe.run().then((r) => [document.documentElement.scrollWidth - innerWidth, r.violations.map((v) => v.id)])",
      );
    });
    expect(found).toEqual([0, []]);
  });

  it("prints the picture of the platform without the shade that says it scrolls", async () => {
    const background = (page: Page) =>
      page.evaluate<string>("getComputedStyle(document.querySelector('.platform-picture')).backgroundImage");
    const [screen, print] = await opened({ width: 768, colorScheme: "light" }, async (page) => {
      const before = await background(page);
      await page.emulateMedia({ media: "print" });
      return [before, await background(page)];
    });
    expect(screen).toContain("gradient");
    expect(print).toBe("none");
  });
});
