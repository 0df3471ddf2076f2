import fc from "fast-check";
import { expect, it } from "vitest";
import { HeldBytes, type HeldShare } from "../../../components/serving/scripts/held-bytes.ts";

const MOST = 1000;
const step = fc.record({
  client: fc.constantFrom("a", "b", "c"),
  bytes: fc.integer({ min: 1, max: 300 }),
  ends: fc.boolean(),
});

it("never holds more than there is, nor more of a client than is left free, and leaves room for one more", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const held = new HeldBytes(MOST);
      // The model: what each request has.
      const requests: { readonly client: string; readonly share: HeldShare; bytes: number }[] = [];
      const sum = (client?: string) =>
        requests.reduce((total, each) => total + (client === undefined || each.client === client ? each.bytes : 0), 0);
      for (const { client, bytes, ends } of steps) {
        const ended = ends ? requests.shift() : undefined;
        ended?.share.end();
        const share = held.share(client);
        const fits = sum(client) + bytes <= MOST - sum() - bytes;
        expect(share.take(bytes)).toBe(fits);
        requests.push({ client, share, bytes: fits ? bytes : 0 });
        // Each of three clients leaves half of what was free before it, and a newcomer may take half of that.
        const newcomer = held.share("new");
        expect(newcomer.take(Math.floor(MOST / 2 ** 4))).toBe(true);
        newcomer.end();
      }
      for (const { share } of requests) {
        share.end();
      }
      expect(held.share("a").take(MOST / 2)).toBe(true);
    }),
  );
});

it("counts requests of no client in particular as one client's", () => {
  const held = new HeldBytes(MOST);
  expect([held.share().take(400), held.share(undefined).take(200), held.share("a").take(200)]).toEqual([
    true,
    false,
    true,
  ]);
});
