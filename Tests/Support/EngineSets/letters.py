"""letters.py FOLDER: writes the set FL for the benchmark of engines: ten letters of 14 to 28 s in three synthetic voices,
with pauses of 0.15 to 1.6 s, light reverberation and room noise. Writes p0.wav to p9.wav and set.json: [[file, text], ...].
Needs flite, sox and numpy."""
import json
import os
import re
import subprocess
import sys
import wave

import numpy

LETTERS = """Dear Mister Hansen, thank you for your letter of the third of March, which reached me yesterday morning. I have read the plans for the new library with great interest, and I would like to make a few remarks before the committee meets again.
First, the entrance on the north side seems too narrow for the number of visitors we expect. On a busy Saturday, more than nine hundred people come through those doors, and many of them bring small children or bicycles. If the doors were moved a little to the left, there would be room for a second ramp, and nobody would have to wait in the rain.
Second, I am worried about the heating. The old building lost half of its warmth through the roof, and the repairs cost more every winter. The engineer told me that better windows would pay for themselves within eight years, although the price at the beginning is rather high.
Third, the reading room needs a quiet corner. Students complain that the telephones never stop ringing, and that the printers are placed right beside the desks. A simple wall of glass, perhaps four metres long, would solve that problem without making the room darker.
I also spoke with the gardener about the trees behind the car park. Two of them are sick and must come down before the autumn storms. He suggests planting cherry trees instead, because they grow slowly and their roots do not damage the pipes.
Please let me know whether these changes can still be included, and how much they would add to the budget. I shall be away from the office until Thursday, but you can reach me in the evening at my home address. With kind regards, and my best wishes to your wife.
The patient was admitted on Monday with severe pain in the lower back. She had fallen from a ladder while painting the kitchen, and had been unable to walk since the accident. The examination showed no broken bones, but there was a large bruise above the right hip. She was given something for the pain and asked to rest for two weeks.
When the ship left the harbour, the wind was already strong. The captain ordered the crew to tie down the cargo, and the passengers were told to stay below. By midnight the waves were as high as houses, and the lights of the coast had disappeared. Nobody slept that night. In the morning the storm was over, the sea was calm, and a thin line of land could be seen in the east.
To install the program, open a terminal and enter the following command. When the download is finished, restart the computer and choose your language from the list. If the screen stays black for longer than a minute, press the power button and start again. Your files will not be touched, unless you select the option to erase the disk.
My grandmother kept chickens, two goats, and a very old donkey who hated everyone except her. Every morning she walked down to the river with a basket of washing, singing the same song, and every evening she sat by the fire and told us stories about the war. She never spoke about the things that had made her sad."""

folder = os.path.abspath(sys.argv[1])
os.makedirs(folder, exist_ok=True)
random = numpy.random.default_rng(3)
letters = []
for number, letter in enumerate(LETTERS.split("\n")):
    voice = ["slt", "rms", "awb"][number % 3]
    parts = [random.standard_normal(8000) * 12]
    for sentence in re.split(r"(?<=[.]) ", letter):
        spoken, heard = folder + "/spoken.wav", folder + "/heard.wav"
        subprocess.check_call(
            ["flite", "-voice", voice, "--setf", "duration_stretch=1.05", "-t", sentence, "-o", spoken])
        subprocess.check_call(
            ["sox", "-V1", "-R", spoken, "-r", "16000", "-c", "1", heard, "gain", "-4", "reverb", "12", "30", "20",
             "channels", "1"])
        with wave.open(heard) as file:
            parts.append(numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(float))
        parts.append(numpy.zeros(int(random.choice([0.15, 0.35, 0.6, 1.0, 1.6]) * 16000)))
    samples = numpy.concatenate(parts)
    samples += random.standard_normal(len(samples)) * 12
    path = f"{folder}/p{number}.wav"
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(numpy.clip(samples, -32768, 32767).astype("<i2").tobytes())
    letters.append((path, letter))
with open(folder + "/set.json", "w") as file:
    json.dump(letters, file)
