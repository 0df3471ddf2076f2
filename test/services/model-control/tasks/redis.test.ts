import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type RedisConnections,
  redisConnections,
  redisFailure,
} from "../../../../services/model-control/src/tasks/redis";

const EMPTY = "$0\r\n\r\n";

let server: Server;
let connections: RedisConnections;

/** A server that is well until it is asked for something, and then goes away. */
beforeEach(async () => {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      const commands = data.toString();
      if (commands.includes("get")) {
        socket.destroy();
      } else {
        socket.write(EMPTY.repeat(commands.match(/^\*/gm)?.length ?? 0));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  connections = redisConnections({ url: `redis://127.0.0.1:${port}` });
  await new Promise<void>((resolve) => connections.requests.once("ready", () => resolve()));
});

afterEach(() => {
  connections.close();
  server.close();
});

describe("a command whose connection ends", () => {
  it("is told of in words for those who run the platform", async () => {
    const failure: unknown = await connections.requests.get("key").catch((error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(redisFailure(failure)).toBe("the connection was lost");
  });
});

describe("any other failure", () => {
  it("keeps its own words", () => {
    expect(redisFailure(new Error("OOM command not allowed"))).toBe("OOM command not allowed");
  });
});
