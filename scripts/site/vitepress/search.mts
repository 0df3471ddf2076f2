/** How the site's search ranks; VitePress hands functions to the browser as text, so each is self-contained. */
interface Section {
  /** Address with the anchor. */
  readonly id: string;
  readonly title: string;
  /** Of the headings above it; a page itself has none. */
  readonly titles: readonly string[];
  readonly text: string;
}

/** @param subjects By address without the base: what other pages state a page is about. */
export function searchSettings(subjects: Readonly<Record<string, string>>, base: string) {
  const options = {
    fields: ["title", "titles", "text", "subject"],
    extractField: (section: Section, field: string) => {
      if (field !== "subject") {
        return section[field as keyof Section];
      }
      const address = section.id.slice(base.length - 1).replace(/#.*/, "");
      return section.titles.length === 0 ? (subjects[address] ?? "") : "";
    },
  };
  return {
    options,
    searchOptions: {
      boost: { title: 4, subject: 3, text: 2, titles: 1 },
      // One other letter makes another word of a short one: MIG, S3, CVE.
      fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
      boostDocument: (id: string, _term: string, stored?: Record<string, unknown>) => {
        const isPage = (stored?.titles as string[] | undefined)?.length === 0;
        const isHistory =
          /\/(decisions|reviews)\/|\/(changelog|proof|performance|real-parts|ci-budget|contributing)#/.test(id);
        return (isPage ? 1.5 : 1) * (isHistory ? 0.3 : 1);
      },
    },
  };
}
