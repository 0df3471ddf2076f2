import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createServer as createTcpServer } from "node:net";

/** What arrived, in order. */
export interface Arrived {
  readonly path: string;
  readonly at: number;
  readonly body: string;
}

export interface LocalReceivers {
  readonly url: string;
  readonly smarthost: string;
  readonly arrived: readonly Arrived[];
  readonly mails: readonly string[];
  readonly close: () => void;
}

/** A web server that accepts whatever is posted, and a mail server that takes mail without TLS. */
export async function localReceivers(): Promise<LocalReceivers> {
  const arrived: Arrived[] = [];
  const mails: string[] = [];
  const web = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      arrived.push({ path: request.url ?? "", at: Date.now(), body });
      const status = request.url === "/v2/enqueue" ? 202 : 200;
      response.writeHead(status, { "content-type": "application/json" }).end('{"status":"success"}');
    });
  });
  const mail = createTcpServer((socket) => {
    let text = "";
    let inData = false;
    const say = (line: string) => void socket.write(`${line}\r\n`);
    say("220 local");
    socket.on("error", () => undefined);
    socket.on("data", (piece) => {
      text += piece;
      if (inData && text.endsWith("\r\n.\r\n")) {
        mails.push(text);
        inData = false;
        text = "";
        say("250 taken");
      }
      while (!inData && text.includes("\r\n")) {
        const [command = ""] = text.split("\r\n", 1);
        text = text.slice(command.length + 2);
        inData = /^DATA/i.test(command);
        say(inData ? "354 go on" : /^QUIT/i.test(command) ? "221 bye" : "250 ok");
      }
    });
  });
  const port = await listen(web);
  const mailPort = await listen(mail);
  return {
    url: `http://127.0.0.1:${port}`,
    smarthost: `127.0.0.1:${mailPort}`,
    arrived,
    mails,
    close: () => {
      web.close();
      web.closeAllConnections();
      mail.close();
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
