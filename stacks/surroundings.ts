import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Address, addressOf, type Surroundings } from "./reachability";

/** Milliseconds to try an address: a new endpoint may need a moment. */
const PATIENCE = 30_000;
/** Milliseconds between tries. */
const PAUSE = 2_000;

/**
 * The process's network. With an HTTPS proxy in the environment, Kubernetes clients use it: an
 * address counts as reachable either way.
 */
export function surroundingsOf(
  { HTTPS_PROXY, https_proxy }: Readonly<Record<string, string | undefined>>,
  usual = PATIENCE,
): Surroundings {
  const proxy = addressOf(HTTPS_PROXY ?? https_proxy);
  return {
    unreachable: async (address, patience = usual) => {
      const direct = unreachable(address, patience);
      const ways = [direct, ...(proxy ? [unreachable(proxy, patience)] : [])];
      // The first success decides; else the last failure.
      const answered = ways.map((way) => way.then((reason) => (reason === undefined ? true : Promise.reject(reason))));
      return Promise.any(answered).then(
        () => undefined,
        () => direct,
      );
    },
  };
}

async function unreachable(address: Address, patience: number): Promise<string | undefined> {
  const end = Date.now() + patience;
  for (;;) {
    const reason = await tryOnce(address, Math.max(1, end - Date.now()));
    if (reason === undefined || Date.now() + PAUSE >= end) {
      return reason;
    }
    await pause(PAUSE);
  }
}

function tryOnce({ host, port }: Address, milliseconds: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (reason: string | undefined) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(milliseconds, () => settle(`no connection within ${Math.ceil(milliseconds / 1000)} seconds`));
    socket.once("connect", () => settle(undefined));
    socket.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
}
