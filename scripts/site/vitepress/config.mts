/** The site's settings; `stage` puts site.json next to this file. */
import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { searchSettings } from "./search.mts";
import { searchDialog } from "./search-dialog.mts";

const { base, repository, version, sidebar, subjects } = JSON.parse(
  readFileSync(new URL("site.json", import.meta.url), "utf8"),
);

/** As `githubSlug` of ../markdown.ts: pages are linked to by GitHub's anchors. */
const slugify = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");

export default defineConfig({
  title: "inference-stacks",
  description: "Declare models and service levels; get a GPU inference platform, sized, priced and checked.",
  lang: "en",
  base,
  cleanUrls: true,
  // Addresses of port-forwards.
  ignoreDeadLinks: "localhostLinks",
  outDir: "../html",
  cacheDir: "../vitepress-cache",
  markdown: {
    // The contrast that WCAG AA asks for on the theme's own background.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify },
    // Braces at the end of a cell or heading are text.
    attrs: { disable: true },
    // Placeholders such as <name> are text, and so are templates of Prometheus and Helm, which Vue would evaluate.
    html: false,
    config: (md) => {
      const { escapeHtml } = md.utils;
      md.renderer.rules.text = (tokens, index) =>
        escapeHtml(tokens[index]?.content ?? "").replaceAll("{{", "<span v-pre>{{</span>");
      md.renderer.rules.code_inline = (tokens, index) =>
        `<code v-pre>${escapeHtml(tokens[index]?.content ?? "")}</code>`;
    },
  },
  themeConfig: {
    sidebar,
    nav: [
      { text: "Start", link: "/" },
      { text: "Configuration", link: "/configuration" },
      { text: "Runbook", link: "/operations" },
      { text: "All pages", link: "/contents" },
      { text: version, link: "/changelog" },
    ],
    outline: [2, 3],
    search: { provider: "local", options: { detailedView: false, miniSearch: searchSettings(subjects, base) } },
    ...(repository !== undefined && { socialLinks: [{ icon: "github", link: repository }] }),
  },
  vite: { plugins: [searchDialog], build: { chunkSizeWarningLimit: 20_000 } },
});
