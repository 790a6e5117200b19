// A graph on WebGL2: links as lines, switches as points; moving and zooming change only a uniform, so that the data is sent once.

const LINE_SHADER = `#version 300 es
in vec2 at; in vec4 colour; uniform vec4 view; out vec4 shade;
void main() { gl_Position = vec4((at - view.xy) * view.zw, 0.0, 1.0); shade = colour; }`;
const POINT_SHADER = `#version 300 es
in vec2 at; in vec4 colour; uniform vec4 view; uniform float size; out vec4 shade;
void main() { gl_Position = vec4((at - view.xy) * view.zw, 0.0, 1.0); gl_PointSize = size; shade = colour; }`;
const LINE_PAINT = `#version 300 es
precision mediump float; in vec4 shade; out vec4 paint; void main() { paint = shade; }`;
const POINT_PAINT = `#version 300 es
precision mediump float; in vec4 shade; out vec4 paint;
void main() { float away = length(gl_PointCoord - 0.5) * 2.0; if (away > 1.0) discard; paint = away > 0.72 ? vec4(1.0, 1.0, 1.0, shade.a) : shade; }`;

function makeProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "at");
  gl.bindAttribLocation(program, 1, "colour");
  gl.linkProgram(program);
  return { program, view: gl.getUniformLocation(program, "view"), size: gl.getUniformLocation(program, "size") };
}

/** Draws batches { at: Float32Array of x, y; colour: Uint8Array of rgba }; null where there is no WebGL2. */
function makePainter(canvas) {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const lines = makeProgram(gl, LINE_SHADER, LINE_PAINT), points = makeProgram(gl, POINT_SHADER, POINT_PAINT);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  const batches = new Map();
  const put = (name, kind, at, colour) => {
    const old = batches.get(name) || { at: gl.createBuffer(), colour: gl.createBuffer(), array: gl.createVertexArray() };
    gl.bindVertexArray(old.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, old.at);
    if (at) {
      gl.bufferData(gl.ARRAY_BUFFER, at, gl.STATIC_DRAW);
      old.count = at.length / 2;
    }
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, old.colour);
    gl.bufferData(gl.ARRAY_BUFFER, colour, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    batches.set(name, { ...old, kind });
  };
  const paint = (view, size, most = Infinity) => {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    for (const [name, batch] of batches) {
      const program = batch.kind === "lines" ? lines : points;
      gl.useProgram(program.program);
      gl.uniform4f(program.view, view.x, view.y, view.sx, view.sy);
      if (program.size) gl.uniform1f(program.size, batch.kind === "large" ? size * 1.7 : size);
      gl.bindVertexArray(batch.array);
      gl.drawArrays(batch.kind === "lines" ? gl.LINES : gl.POINTS, 0, name === "links" ? Math.min(batch.count, 2 * most) : batch.count);
    }
  };
  return { put, paint, still: false };
}

/** The same painter on a 2D canvas, for machines without WebGL2: a still picture. */
function makeStillPainter(canvas) {
  const sheet = canvas.getContext("2d"), batches = new Map();
  const put = (name, kind, at, colour) => batches.set(name, { kind, at: at || batches.get(name).at, colour });
  const paint = (view, size) => {
    sheet.fillStyle = "#fff";
    sheet.fillRect(0, 0, canvas.width, canvas.height);
    const place = (at, i) => [((at[2 * i] - view.x) * view.sx * 0.5 + 0.5) * canvas.width, (0.5 - (at[2 * i + 1] - view.y) * view.sy * 0.5) * canvas.height];
    const ink = (colour, i) => `rgba(${colour[4 * i]},${colour[4 * i + 1]},${colour[4 * i + 2]},${colour[4 * i + 3] / 255})`;
    for (const { kind, at, colour } of batches.values()) {
      if (kind === "lines") {
        for (let i = 0; i + 1 < at.length / 2; i += 2) {
          sheet.strokeStyle = ink(colour, i);
          sheet.beginPath();
          sheet.moveTo(...place(at, i));
          sheet.lineTo(...place(at, i + 1));
          sheet.stroke();
        }
      } else {
        for (let i = 0; i < at.length / 2; i += 1) {
          sheet.fillStyle = ink(colour, i);
          sheet.beginPath();
          sheet.arc(...place(at, i), (kind === "large" ? size : size * 0.6) / 2, 0, 7);
          sheet.fill();
        }
      }
    }
  };
  return { put, paint, still: true };
}
