import { afterEach, describe, expect, it, vi } from "vitest";
import { httpFile, httpText, redirected, shownUrl } from "../../downloads/http";
import { file, nowhere, redirect, startOrigin } from "./origin";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function textFrom(url: string, byte: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of httpFile(url)(byte)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

describe("a file of a web server", () => {
  it("is read whole, or from a byte on", async () => {
    const { url, asked } = await startOrigin({ "/a": file("0123456789") });
    expect(await httpText(`${url}/a`)).toBe("0123456789");
    expect(await textFrom(`${url}/a`, 4)).toBe("456789");
    expect(asked).toEqual(["GET /a", "GET /a bytes=4-"]);
  });

  it("is read into memory up to 64 MiB alone", async () => {
    const chunk = Buffer.alloc(2 ** 20, "a");
    const { url } = await startOrigin({
      "/a": (_, response) => {
        const fill = () => {
          while (response.write(chunk)) {}
        };
        response.on("drain", fill);
        fill();
      },
    });
    await expect(httpText(`${url}/a`)).rejects.toThrow(`${url}/a: more than ${64 * 2 ** 20} bytes came`);
  });

  it("is given up early where the answer does not begin, and late where it goes on", async () => {
    const { url } = await startOrigin({
      "/silent": () => {},
      "/slow": (_, response) => {
        response.write("a");
        setTimeout(() => response.end("b"), 400);
      },
    });
    const patience = { answerSeconds: 0.2, silenceSeconds: 30 };
    await expect(httpText(`${url}/silent`, patience)).rejects.toThrow(`${url}/silent: nothing came for 0.2 s`);
    expect(await httpText(`${url}/slow`, patience)).toBe("ab");
  });

  it("is refused with the server's status", async () => {
    const { url } = await startOrigin();
    await expect(httpText(`${url}/a`)).rejects.toThrow(`${url}/a: answers 404`);
  });

  it("is refused when a server sends it all again", async () => {
    const { url } = await startOrigin({ "/a": (_, response) => response.end("0123") });
    await expect(textFrom(`${url}/a`, 2)).rejects.toThrow("answers 200 when asked to go on at byte 2");
  });

  it("says why a server is not reached", async () => {
    const url = await nowhere();
    await expect(httpText(`${url}/a`)).rejects.toThrow(`${url}/a: connect ECONNREFUSED`);
  });

  it("may take long while bytes arrive, and is given up when none do", async () => {
    const pieces: ((text: string) => void)[] = [];
    const { url } = await startOrigin({ "/a": (_, response) => pieces.push((text) => response.write(text)) });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const reading = httpFile(`${url}/a`)(0)[Symbol.asyncIterator]();
    let next = reading.next();
    await vi.waitFor(() => expect(pieces).toHaveLength(1));
    for (const text of ["a", "b", "c"]) {
      vi.advanceTimersByTime(50_000);
      pieces[0]?.(text);
      expect(Buffer.from((await next).value).toString()).toBe(text);
      next = reading.next();
    }
    vi.advanceTimersByTime(60_000);
    await expect(next).rejects.toThrow(`${url}/a: nothing came for 60 s`);
  });
});

describe("a redirect", () => {
  it("is followed to another server, without the first one's password", async () => {
    const seen: (string | undefined)[] = [];
    const other = await startOrigin({
      "/b": ({ headers }, response) => {
        seen.push(headers.authorization);
        response.end("there");
      },
    });
    const first = await startOrigin({
      "/a": ({ headers }, response) => {
        seen.push(headers.authorization);
        response.writeHead(302, { location: `${other.url}/b` }).end();
      },
    });
    const url = first.url.replace("//", "//robot:s3cret@");
    expect(await httpText(`${url}/a`)).toBe("there");
    expect(seen).toEqual([`Basic ${Buffer.from("robot:s3cret").toString("base64")}`, undefined]);
  });

  it("is followed below the same server", async () => {
    const { url } = await startOrigin({ "/a/b": redirect("../c", 307), "/c": file("there") });
    expect(await httpText(`${url}/a/b`)).toBe("there");
  });

  it("is followed five times at most", async () => {
    const { url, asked } = await startOrigin({ "/a": redirect("/a") });
    await expect(httpText(`${url}/a`)).rejects.toThrow(`${url}/a: more than 5 redirects`);
    expect(asked).toHaveLength(6);
  });

  it.each([
    { from: "https://a.example/x", to: "https://b.example/y", url: "https://b.example/y" },
    { from: "http://a.example/x", to: "https://b.example/y", url: "https://b.example/y" },
    { from: "http://a.example/x/y", to: "z", url: "http://a.example/x/z" },
  ])("from $from to $to goes there", ({ from, to, url }) => {
    expect(redirected(new URL(from), to).href).toBe(url);
  });

  it.each([
    { to: "http://b.example/y", says: "redirects from HTTPS to http://b.example/y, which is not followed" },
    { to: "file:///etc/passwd", says: "redirects to file:///etc/passwd" },
    { to: null, says: "redirects to nowhere" },
  ])("from HTTPS to $to is refused", ({ to, says }) => {
    expect(() => redirected(new URL("https://a.example/x"), to)).toThrow(`https://a.example/x: ${says}`);
  });
});

describe("messages", () => {
  it("show no password", async () => {
    expect(shownUrl("https://robot:s3cret@mirror.example/a")).toBe("https://mirror.example/a");
    const { url } = await startOrigin();
    const failure = httpText(`${url.replace("//", "//robot:s3cret@")}/a`);
    await expect(failure).rejects.toThrow(`${url}/a: answers 404`);
  });
});
