import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Key } from "../../../cli/screen";
import { pressed, SORTS, START, type View } from "../../../cli/top/view";

const pressing = (keys: readonly Key[], most = 0, view: View = START) =>
  keys.reduce<View | "quit">((now, key) => (now === "quit" ? now : pressed(now, key, most)), view);
const typed = (text: string): Key[] => [...text].map((sign) => ({ name: sign, text: sign }));

describe("the keys of top", () => {
  it("quit by q and Ctrl-C, but not while a filter is typed by q", () => {
    expect(pressing(typed("q"))).toBe("quit");
    expect(pressing(typed("?q"))).toBe("quit");
    expect(pressing([{ name: "c", ctrl: true, text: "\u0003" }])).toBe("quit");
    expect(pressing([...typed("/q"), { name: "c", ctrl: true }])).toBe("quit");
    expect(pressing(typed("/q"))).toMatchObject({ filter: "q", typing: true });
  });

  it("type, correct, keep and clear a filter", () => {
    const keep: Key[] = [{ name: "backspace" }, { name: "return", text: "\r" }];
    expect(pressing([...typed("/qwem"), ...keep])).toMatchObject({ filter: "qwe", typing: false });
    expect(pressing([...typed("/q"), { name: "escape", text: "\u001b" }])).toEqual(START);
    expect(pressing([...typed("/q"), { name: "return" }, { name: "escape" }])).toEqual(START);
  });

  it("sort by each figure in turn", () => {
    expect(SORTS.map((_, i) => (pressing(typed("s".repeat(i))) as View).sort)).toEqual(SORTS);
    expect(pressing(typed("s".repeat(SORTS.length)))).toEqual(START);
  });

  it("never scroll out of the body, and never type what moves a cursor", () => {
    const keys = fc.record({
      name: fc.constantFrom("up", "down", "pageup", "pagedown", "home", "end", "x", "backspace"),
      text: fc.option(fc.string({ unit: "binary", minLength: 1, maxLength: 2 }), { nil: undefined }),
      ctrl: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(keys), fc.nat(50), (all, most) => {
        const view = pressing(all, most);
        if (view !== "quit") {
          expect(view.offset).toBeGreaterThanOrEqual(0);
          expect(view.offset).toBeLessThanOrEqual(most);
          expect([...view.filter].every((sign) => sign >= " ")).toBe(true);
        }
      }),
    );
  });
});
