// Runs the case folders below a folder in ONNX Runtime and prints a line of JSON for each: its output, or why there
// is none. The .pb files are those that tensorop writes: unpacked dims, raw_data or string_data.
//
//     node tests/onnx/run_cases.js FOLDER
'use strict';
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

// By data_type: ONNX Runtime's name, NumPy's name, and the array of its elements.
const TYPES = {
  1: ['float32', 'float32', Float32Array],
  2: ['uint8', 'uint8', Uint8Array],
  3: ['int8', 'int8', Int8Array],
  4: ['uint16', 'uint16', Uint16Array],
  5: ['int16', 'int16', Int16Array],
  6: ['int32', 'int32', Int32Array],
  7: ['int64', 'int64', BigInt64Array],
  8: ['string', 'string', Array],
  9: ['bool', 'bool', Uint8Array],
  10: ['float16', 'float16', Uint16Array],
  11: ['float64', 'float64', Float64Array],
  12: ['uint32', 'uint32', Uint32Array],
  13: ['uint64', 'uint64', BigUint64Array],
};

function readTensor(file) {
  const bytes = fs.readFileSync(file);
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n;; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7F) << shift;
      if (byte < 0x80) return Number(value);
    }
  };
  const out = {dims: [], strings: [], raw: Buffer.alloc(0)};
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 0) {
      const value = varint();
      if (tag >> 3 === 1) out.dims.push(value);
      if (tag >> 3 === 2) out.type = value;
      continue;
    }
    const size = varint();
    const value = bytes.subarray(at, at + size);
    at += size;
    if (tag >> 3 === 6) out.strings.push(value.toString('utf8'));
    if (tag >> 3 === 8) out.name = value.toString('utf8');
    if (tag >> 3 === 9) out.raw = value;
  }
  return out;
}

function feedOf(tensor) {
  if (!(tensor.type in TYPES)) throw new Error(`data type ${tensor.type} is not in its JavaScript interface`);
  const [type, , array] = TYPES[tensor.type];
  if (type === 'string') return new ort.Tensor(type, tensor.strings, tensor.dims);
  const own = new Uint8Array(tensor.raw);  // aligned
  return new ort.Tensor(type, new array(own.buffer), tensor.dims);
}

// One reason for all cases that have it.
function reasonOf(error) {
  const text = String(error.message).split('\n')[0];
  const kernel = text.match(/Could not find an implementation for (\w+)\((\d+)\)|Failed to find kernel for (\w+)\((\d+)\)/);
  if (kernel) return `no implementation of ${kernel[1] || kernel[3]}-${kernel[2] || kernel[4]} for the dtype`;
  if (text.includes('ValidateOpsetForDomain')) return 'the opset is too new';
  if (text.includes('InsertedPrecisionFreeCast')) return 'float16 is cast as no old opset can be';
  return text.replace(/.*\.cc:\d+ \S+ /, '');
}

async function main(folder) {
  for (const name of fs.readdirSync(folder).sort()) {
    const line = {name};
    try {
      const data = path.join(folder, name, 'test_data_set_0');
      const inputs = fs.readdirSync(data).filter((file) => file.startsWith('input_'));
      const feeds = {};
      for (const file of inputs) {
        const tensor = readTensor(path.join(data, file));
        feeds[tensor.name] = feedOf(tensor);
      }
      const expected = readTensor(path.join(data, 'output_0.pb'));
      if (!(expected.type in TYPES)) throw new Error(`data type ${expected.type} is not in its JavaScript interface`);
      const session = await ort.InferenceSession.create(path.join(folder, name, 'model.onnx'), {logSeverityLevel: 4});
      const output = (await session.run(feeds))[expected.name];
      line.type = TYPES[expected.type][1];
      line.dims = output.dims;
      const elements = output.data;
      line.data = line.type === 'string' ? elements
          : Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength).toString('hex');
    } catch (error) {
      line.error = reasonOf(error);
    }
    console.log(JSON.stringify(line));
  }
}

main(process.argv[2]);
