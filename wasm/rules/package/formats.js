// The module that writes records and pictures and knows JSON (JKF). Not every page needs it, so whoever does imports it.
import { provideFormats } from "./komainu-rules.js";

provideFormats("@BYTES@");
