/** The colours of a terminal; `ansi` by the number of the 256 that a text asks for. */
export interface Theme {
  readonly background: string;
  readonly border: string;
  readonly text: string;
  readonly ansi: Readonly<Record<string, string>>;
}

export const LIGHT: Theme = {
  background: "#ffffff",
  border: "#d0d7de",
  text: "#1f2328",
  ansi: { 1: "#cf222e", 2: "#116329", 3: "#7d4e00", 13: "#8250df" },
};

export const DARK: Theme = {
  background: "#0d1117",
  border: "#30363d",
  text: "#e6edf3",
  ansi: { 1: "#ff7b72", 2: "#3fb950", 3: "#e3b341", 13: "#d2a8ff" },
};

// Pixels
const FONT_SIZE = 14;
const COLUMN = 8.4;
const LINE = 20;
const PADDING = 20;

/**
 * Renders what a command has printed, with its colours, as an SVG image of a terminal.
 * @throws Error for a control sequence or a colour that it does not know
 */
export function renderTerminal(text: string, theme: Theme): string {
  const lines = readLines(text, theme);
  const columns = Math.max(...lines.map((runs) => widthOf(runs)));
  const width = Math.ceil(columns * COLUMN) + 2 * PADDING;
  const height = lines.length * LINE + 2 * PADDING;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve">
<title>${escaped(lines[0]?.map((run) => run.text).join("") ?? "")}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.border}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${theme.text}">
${lines.map(renderLine).join("")}</g>
</svg>
`;
}

interface Run {
  readonly text: string;
  readonly bold: boolean;
  readonly colour: string | undefined;
}

/** Colours last beyond the end of a line. */
function readLines(text: string, theme: Theme): readonly (readonly Run[])[] {
  let bold = false;
  let colour: string | undefined;
  const apply = (sequence: string) => {
    const [, number] = /^38;5;(\d+)$/.exec(sequence) ?? [];
    if (sequence === "0") {
      bold = false;
      colour = undefined;
    } else if (sequence === "1") {
      bold = true;
    } else {
      colour = theme.ansi[number ?? ""];
      if (colour === undefined) throw new Error(`There is no colour for the control sequence ${sequence}.`);
    }
  };
  return text.split("\n").map((line) => {
    const runs: Run[] = [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal's colours begin with
    for (const [, sequence, plain = ""] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+|\x1b)/g)) {
      if (sequence !== undefined) apply(sequence);
      else if (plain === "\x1b") throw new Error("There is a control sequence that is no colour.");
      else runs.push({ text: plain, bold, colour });
    }
    return runs;
  });
}

function renderLine(runs: readonly Run[], index: number): string {
  const y = PADDING + (index + 0.75) * LINE;
  return runs.map((run, place) => renderRun(run, widthOf(runs.slice(0, place)), y)).join("");
}

/** Each run has its own place and length: that holds the columns together, whichever font there is. */
function renderRun({ text, bold, colour }: Run, column: number, y: number): string {
  const shown = text.trim();
  if (shown === "") return "";
  const x = PADDING + (column + text.indexOf(shown)) * COLUMN;
  const style = `${colour === undefined ? "" : ` fill="${colour}"`}${bold ? ' font-weight="bold"' : ""}`;
  const length = `textLength="${(shown.length * COLUMN).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${x.toFixed(1)}" y="${y}" ${length}${style}>${escaped(shown)}</text>\n`;
}

function widthOf(runs: readonly Run[]): number {
  return runs.reduce((width, { text }) => width + text.length, 0);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
