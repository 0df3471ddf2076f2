import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Address, addressOf, type Surroundings } from "./reachability";

/** How long an address is tried, milliseconds: an endpoint that was just made may need a moment. */
const PATIENCE = 30_000;
/** Between two tries, milliseconds. */
const PAUSE = 2_000;

/**
 * The network that this process runs in. Where the environment names a proxy for HTTPS, clients of Kubernetes go through
 * that: an address counts as reachable by either way.
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
      // The first that answers decides; the last to fail, where none does.
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

/** Opens a TCP connection and closes it. */
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
