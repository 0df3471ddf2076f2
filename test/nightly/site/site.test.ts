/** The documentation site as built, in Chromium. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { buildSite, SITE } from "../../../scripts/site";
import { readPages } from "../../../scripts/site/pages";
import { linkTo } from "../../../scripts/site/sidebar";
import { launchChromium } from "../chromium";
import { deadLinks } from "./dead-links";
import { SEARCH_TERMS } from "./search-terms";
import { type StaticSite, serveFolder } from "./server";

const root = repositoryRoot();
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const addresses = [...readPages(root).values()].map(linkTo);

/** One page of each kind: prose, wide tables, code, a picture, lists of hundreds of rows. */
const KINDS = ["/", "/configuration", "/reference/policies", "/reference/machines", "/operations", "/own-environment"];
const VIEWS = [360, 768, 1440].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
);
/** The view that all pages are tried in; the others show one page of each kind. */
const [EVERY_PAGE] = VIEWS;

let site: StaticSite;
let browser: Browser;

beforeAll(async () => {
  if (process.env.SITE_IS_BUILT === undefined) {
    await buildSite({ base: "/", repository: undefined });
  }
  site = await serveFolder(join(root, SITE, "html"));
  browser = await launchChromium();
}, 1_200_000);

afterAll(async () => {
  await browser?.close();
  site?.close();
});

async function opened(view: (typeof VIEWS)[number], run: (page: Page, strangers: string[]) => Promise<void>) {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: view.width, height: 900 },
    colorScheme: view.colorScheme,
  });
  const strangers: string[] = [];
  const page = await context.newPage();
  page.on("request", (request) => {
    if (!request.url().startsWith(site.origin) && !request.url().startsWith("data:")) {
      strangers.push(request.url());
    }
  });
  try {
    await run(page, strangers);
  } finally {
    await context.close();
  }
}

const widthOf = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/** What is wrong with what is shown: columns beyond the window, and findings of axe-core. */
async function faultsOf(page: Page, shown: string): Promise<string[]> {
  const beyond = await widthOf(page);
  await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(
    "axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target).join(' ')))",
  );
  return [...(beyond === 0 ? [] : [`${beyond} px beyond the window`]), ...found].map((fault) => `${shown}: ${fault}`);
}

async function faultsAt(page: Page, address: string): Promise<string[]> {
  const response = await page.goto(site.origin + address, { waitUntil: "load" });
  if (response?.status() !== 200) {
    return [`${address}: ${response?.status()}`];
  }
  await page.waitForSelector(".VPDoc h1");
  return faultsOf(page, address);
}

/** Addresses that the search shows for a term, without their headings. */
async function searched(page: Page, term: string): Promise<(string | undefined)[]> {
  const results = page.locator(".results .result");
  await page.fill(".search-input", "");
  await results.first().waitFor({ state: "detached" });
  await page.fill(".search-input", term);
  await results.first().waitFor();
  return results.evaluateAll((links) => links.map((link) => link.getAttribute("href")?.replace(/#.*/, "")));
}

describe("has no horizontal scroll, no finding of axe-core, no request elsewhere", () => {
  it.each(VIEWS)("at $width px, $colorScheme", async (view) => {
    await opened(view, async (page, strangers) => {
      const faults: string[] = [];
      for (const address of view === EVERY_PAGE ? addresses : KINDS) {
        faults.push(...(await faultsAt(page, address)));
      }
      await page.click(".VPNavBarSearch button");
      await searched(page, "autoscaling");
      faults.push(...(await faultsOf(page, "search")));
      expect([faults, strangers]).toEqual([[], []]);
    });
  });
});

it("has links to pages and headings that exist", () => {
  expect(deadLinks(join(root, SITE, "html"))).toEqual([]);
});

it("finds what readers search for, among the first three results", async () => {
  await opened({ width: 1440, colorScheme: "light" }, async (page, strangers) => {
    await page.goto(`${site.origin}/contents`, { waitUntil: "load" });
    await page.click(".VPNavBarSearch button");
    const missed: string[] = [];
    for (const [term, ...paths] of SEARCH_TERMS) {
      const first = (await searched(page, term)).slice(0, 3);
      if (!paths.some((path) => first.includes(path))) {
        missed.push(`${term}: ${first.join(" ")}`);
      }
    }
    expect([missed, strangers]).toEqual([[], []]);
  });
});
