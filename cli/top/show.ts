/** Terminal dashboard: refreshed every few seconds, redrawn after each key. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Style } from "../../report/style";
import type { Key, OpenScreen } from "../screen";
import { frame } from "./frame";
import type { Platform } from "./platform";
import { pressed, START, type View } from "./view";

interface Showing {
  /** Between refreshes. */
  readonly seconds: number;
  readonly style: Style;
}

/** Ends when the user quits. */
export async function showOn(
  open: OpenScreen,
  platform: Pick<Platform, "ask" | "known">,
  { seconds, style }: Showing,
): Promise<void> {
  let view: View = START;
  let snapshot = platform.known();
  let most = 0;
  const ended = new AbortController();
  const draw = () => {
    const drawn = frame(snapshot, view, screen.size(), style);
    most = drawn.most;
    view = { ...view, offset: Math.min(view.offset, most) };
    screen.draw(drawn.lines.join("\n"));
  };
  const onKey = (key: Key) => {
    const next = pressed(view, key, most);
    if (next === "quit") {
      ended.abort();
      return;
    }
    view = next;
    draw();
  };
  const screen = open({ onKey, onResize: () => draw() });
  try {
    draw();
    while (!ended.signal.aborted) {
      snapshot = await platform.ask(ended.signal);
      if (!ended.signal.aborted) {
        draw();
      }
      await sleep(seconds * 1000, undefined, { signal: ended.signal }).catch(() => {});
    }
  } finally {
    screen.close();
  }
}
