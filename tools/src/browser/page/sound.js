// Sounds, made as they are needed: a piece on wood, a capture, check, the end, the last seconds.

const Sound = (() => {
  let context = null;

  /** A knock: noise through a filter, which dies away. */
  function knock(frequency, volume, delay = 0) {
    const length = Math.floor(context.sampleRate * 0.09), buffer = context.createBuffer(1, length, context.sampleRate), data = buffer.getChannelData(0);
    for (let at = 0; at < length; at++) data[at] = (Math.random() * 2 - 1) * Math.exp(-at / (length * 0.12));
    const source = context.createBufferSource(), filter = context.createBiquadFilter(), gain = context.createGain();
    source.buffer = buffer;
    Object.assign(filter, { type: "bandpass" });
    filter.frequency.value = frequency;
    filter.Q.value = 2.2;
    gain.gain.value = volume;
    source.connect(filter).connect(gain).connect(context.destination);
    source.start(context.currentTime + delay);
  }

  function tone(frequency, seconds, volume, delay = 0) {
    const source = context.createOscillator(), gain = context.createGain(), from = context.currentTime + delay;
    source.frequency.value = frequency;
    gain.gain.setValueAtTime(volume, from);
    gain.gain.exponentialRampToValueAtTime(0.0001, from + seconds);
    source.connect(gain).connect(context.destination);
    source.start(from);
    source.stop(from + seconds);
  }

  const SOUNDS = {
    move: () => knock(1500, 1.6),
    capture: () => { knock(1500, 1.6); knock(900, 1.2, 0.07); },
    check: () => { knock(1500, 1.6); tone(880, 0.25, 0.12, 0.05); },
    end: () => [523, 659, 784].forEach((frequency, at) => tone(frequency, 0.5, 0.1, 0.14 * at)),
    tick: () => tone(1200, 0.07, 0.08),
    wrong: () => tone(180, 0.2, 0.14),
  };
  const played = [];

  return {
    /** Plays a sound of the table, if sounds are on. */
    play(name) {
      if (!SETTINGS.sound) return;
      played.push(name);
      try {
        context ??= new AudioContext();
        if (context.state === "suspended") context.resume();
        SOUNDS[name]();
      } catch { /* a browser without sound */ }
    },
    played,
  };
})();
