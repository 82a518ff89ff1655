import { Socket } from "node:net";
import { Client } from "undici";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { Connection } from "../../sdk/transport/connection.ts";
import { newKey } from "../digest/open-session.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** A connection whose socket is what the test says. */
function openConnection() {
  const connection = new Connection(newKey(), () => new Client("http://127.0.0.1"));
  onTestFinished(() => connection.destroy());
  const openSocket = () => {
    const [socket, state] = [new Socket(), { bytesRead: 0 }];
    Object.defineProperty(
      socket.on("error", () => {}),
      "bytesRead",
      { get: () => state.bytesRead },
    );
    connection.onOpening(socket);
    return { socket, state };
  };
  return { connection, openSocket };
}

it("has reached the host when a socket opens and when a response ends, over each socket", () => {
  const { connection, openSocket } = openConnection();
  expect(connection.reachedAt).toBe(-Infinity);
  for (const bytesRead of [600, 300]) {
    const { state } = openSocket();
    vi.advanceTimersByTime(1000);
    connection.onOpen();
    expect(connection.reachedAt).toBe(performance.now());
    vi.advanceTimersByTime(1000);
    state.bytesRead = bytesRead;
    connection.noteResponse();
    expect(connection.reachedAt).toBe(performance.now());
  }
});

it("has lost a request once for each socket that is closed behind a response", () => {
  const { connection, openSocket } = openConnection();
  expect(connection.mayResend()).toBe(false);
  const { socket, state } = openSocket();
  state.bytesRead = 600;
  connection.noteResponse();
  expect(connection.mayResend()).toBe(false);
  socket.destroy();
  expect([connection.mayResend(), connection.mayResend()]).toEqual([true, false]);
});

it("has reached the host, and has lost no request, when a part of a response has come", () => {
  const { connection, openSocket } = openConnection();
  const { socket, state } = openSocket();
  state.bytesRead = 600;
  connection.noteResponse();
  vi.advanceTimersByTime(1000);
  state.bytesRead = 601;
  socket.destroy();
  expect(connection.mayResend()).toBe(false);
  expect(connection.reachedAt).toBe(performance.now());
});
