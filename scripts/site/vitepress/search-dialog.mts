/** Markup of VitePress' search box as screen readers expect it: a dialog with a field, and a list of links. */
const CHANGES: readonly (readonly [given: RegExp, wanted: string])[] = [
  [
    /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  // Options of a listbox must not contain links, which these are; a link's text is its name.
  [/:aria-activedescendant="[^"]*"\s+aria-autocomplete="both"/, ""],
  [/:role="results\?\.length \? 'listbox' : undefined"/, ""],
  [/:aria-selected="[^"]*"\s+role="option"/, ""],
  [/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ""],
  [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
];

export const searchDialog = {
  name: "search-dialog",
  enforce: "pre" as const,
  transform(code: string, id: string): string | undefined {
    if (!id.endsWith("/VPLocalSearchBox.vue")) {
      return undefined;
    }
    return CHANGES.reduce((text, [given, wanted]) => {
      const changed = text.replace(given, wanted);
      if (changed === text) {
        throw new Error(`VPLocalSearchBox.vue has no ${given.source}: compare search-dialog.mts with this VitePress.`);
      }
      return changed;
    }, code);
  },
};
